// A site with a session cookie: its page asks this backend for a token, and calls the service with it.
import { createServer } from "node:http";
import { customerToken } from "./customer-token.mjs";

const SERVICE = process.env.SERVICE ?? "http://127.0.0.1:8787";
const PAGE = `<!doctype html><link rel="icon" href="data:,"><pre id="me"></pre><script type="module">
  const token = await (await fetch("/loyalty-token")).text();
  const show = (text) => (document.getElementById("me").textContent = text);
  fetch("${SERVICE}/api/v1/customer/me", { headers: { Authorization: "Bearer " + token } })
    .then(async (answer) => show(JSON.stringify(await answer.json(), null, 2)))
    .catch((error) => show(error + ": does npm start -- --cors name this page's origin?"));
</script>`;

// Stands for your login and your sessions.
const customerOfSession = new Map();
function logIn(customerId) {
  const session = crypto.randomUUID();
  customerOfSession.set(session, customerId);
  return `session=${session}; HttpOnly; SameSite=Lax; Path=/`;
}

createServer(({ url, headers }, response) => {
  response.setHeader("Cache-Control", "no-store");
  if (url === "/") {
    return response.setHeader("Set-Cookie", logIn("c1")).setHeader("Content-Type", "text/html").end(PAGE);
  }
  if (url !== "/loyalty-token") return response.writeHead(404).end();
  const [, session] = /(?:^|; )session=([^;]+)/.exec(headers.cookie ?? "") ?? [];
  const customerId = customerOfSession.get(session);
  if (customerId === undefined) return response.writeHead(401).end();
  // There are no CORS headers, so pages of other sites cannot read the token.
  response.setHeader("Content-Type", "text/plain").end(customerToken(customerId));
}).listen(Number(process.env.PORT ?? 3000), "127.0.0.1");
