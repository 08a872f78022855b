// Redirects requests to workers.dev to the imitation of Cloudflare's API, which runs the Worker. Loaded by --import.
const send = globalThis.fetch;

globalThis.fetch = (input, init) => {
  const { host } = new URL(input instanceof Request ? input.url : input);
  const [name, , ...domain] = host.split(".");
  if (domain.join(".") !== "workers.dev") return send(input, init);
  return send(`${process.env.CLOUDFLARE_API_BASE_URL}/workers.dev/${name}`, init);
};
