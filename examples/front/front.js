// Sends a request for acme-eu.loyalty.example to the Worker behind the binding ACME_EU.
export default {
  fetch(request, env) {
    const [program = ""] = new URL(request.url).hostname.split(".");
    const service = env[program.toUpperCase().replaceAll("-", "_")];
    return service?.fetch(request) ?? new Response(null, { status: 404 });
  },
};
