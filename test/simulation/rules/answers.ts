import { type OutputUnit, Validator } from "@cfworker/json-schema";
import type { Answer, Call } from "../network.ts";
import { EXCEEDED, LOST, USED_UP } from "../platform/d1.ts";
import type { World } from "../world.ts";

// A bookmark is there once the database was asked, a link where there is another page.
const VALIDATED_ONE_IN = 8;
const RETRIED_WITHIN_MS = 1_500;
const CLOCKS_APART_MS = 3_000;
// What is answered once a day has ended, by whose clock it has.
const A_MOMENT_LATER = 60;

/** An answer is one that the OpenAPI document describes. */
export class AnswerRules {
  readonly #world: World;
  readonly #document: ReturnType<World["outside"]["service"]["openApi"]>;
  readonly #validators = new Map<string, Validator>();
  /** The path in the document of each path that was asked for. */
  readonly #templates = new Map<string, string>();
  #count = 0;

  constructor(world: World) {
    this.#world = world;
    this.#document = world.outside.service.openApi();
  }

  check({ method = "GET", path, headers }: Call, answer: Answer): void {
    const pathname = path.replace(/\?.*/, "");
    if (answer.status === 500) this.#world.fail("no answer is 500", `${method} ${path}: ${answer.body}`);
    if (answer.status === 101 && headers?.Upgrade !== undefined) return;

    this.#checkRetry(pathname, answer);
    this.#checkLimits(`${method} ${pathname}`, answer);
    const template = this.#templates.get(pathname) ?? this.#templateOf(pathname);
    this.#templates.set(pathname, template);
    const response = this.#document.paths[template]?.[method.toLowerCase()]?.responses[answer.status];
    const place = `${method} ${template} ${answer.status}`;
    if (response === undefined) {
      this.#world.fail("every status is documented", `${place}: ${answer.body}`);
      return;
    }
    this.#count += 1;
    if (this.#count % VALIDATED_ONE_IN !== 0 || answer.body === "") return;
    const [content] = Object.values(response.content);
    const validator = this.#validators.get(place) ?? this.#validatorOf(content?.schema ?? false);
    this.#validators.set(place, validator);
    const { errors } = validator.validate(answer.json);
    const texts = errors.slice(0, 3).map(({ instanceLocation, error }: OutputUnit) => `${instanceLocation}: ${error}`);
    if (errors.length > 0) this.#world.fail("an answer fits its schema", `${place}: ${texts.join("; ")}`);
  }

  /** Nobody hears of a read that lost its connection once, unless the circuit breaker refused the second try. */
  #checkRetry(pathname: string, { status, databaseFaults, milliseconds, cause }: Answer): void {
    if (status !== 503 || !pathname.startsWith("/api/v1/customer") || pathname.endsWith("/live")) return;
    const wasLostOnce = databaseFaults.length === 1 && databaseFaults[0] === LOST;
    if (wasLostOnce && milliseconds < RETRIED_WITHIN_MS && cause !== "PrimaryStalled")
      this.#world.fail("a lost connection of a read is tried again", `${pathname} is answered 503`);
  }

  /** What D1 said last decides: whoever feeds too much sends less, and nobody asks again before a daily limit ends. */
  #checkLimits(place: string, { status, headers, databaseFaults, milliseconds, cause }: Answer): void {
    const said = databaseFaults.at(-1) ?? "";
    const seconds = Number(headers.get("Retry-After"));
    if (place === "POST /api/v1/feed" && EXCEEDED.includes(said) && status !== 200 && !(status === 413 && seconds > 0))
      this.#world.fail("a feed that is too much for D1 is told so", `${status}, to come back after ${seconds} s`);
    if (said !== USED_UP || status !== 503 || !place.includes("/api/v1/") || place.endsWith("/live")) return;
    // D1 may have said so in the background, of a request that was refused for something else.
    const { time, database } = this.#world;
    if (milliseconds >= RETRIED_WITHIN_MS || cause === "PrimaryStalled") return;
    const left = database.usedUpUntil - time.now;
    const isRight = Math.abs(left - seconds * 1_000) <= CLOCKS_APART_MS;
    if (!isRight && !(seconds === A_MOMENT_LATER && left <= CLOCKS_APART_MS))
      this.#world.fail("a daily limit ends at 00:00 UTC", `${place}, to come back after ${seconds} s`);
  }

  #templateOf(pathname: string): string {
    return Object.keys(this.#document.paths).find((one) => matches(one, pathname)) ?? "";
  }

  #validatorOf(schema: object | boolean): Validator {
    const { components } = this.#document;
    return new Validator({ ...(schema as object), components } as never, "2020-12");
  }
}

function matches(template: string, path: string): boolean {
  const [parts, given] = [template.split("/"), path.split("/")];
  return parts.length === given.length && parts.every((part, index) => part.startsWith("{") || part === given[index]);
}
