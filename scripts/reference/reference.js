// Shows the OpenAPI document of the service that serves this page, and sends requests to it.
// In development settings.json holds a token of the demo customer; in a deployment it holds nothing.
const { token } = await (await fetch("/settings.json")).json();

globalThis.Scalar.createApiReference("#reference", {
  url: "/openapi.json",
  baseServerURL: location.origin,
  authentication: {
    preferredSecurityScheme: "customer",
    securitySchemes: { customer: { token: token ?? "" } },
  },
  persistAuth: true,
  defaultHttpClient: { targetKey: "shell", clientKey: "curl" },
  defaultOpenFirstTag: true,
  documentDownloadType: "json",
  operationTitleSource: "summary",
  theme: "default",
  // Loads no fonts from elsewhere, and sends nothing to the makers of the renderer.
  withDefaultFonts: false,
  hideClientButton: true,
  showDeveloperTools: "never",
  agent: { disabled: true },
  mcp: { disabled: true },
  telemetry: false,
  customCss: `
    /* On a narrow screen the button that opens the sidebar lies on the address. */
    @media (max-width: 800px) { .scalar-client .scalar-sidebar-toggle { display: none; } }
    /* The indentation shows what belongs to what: the lines of each level would stand beside the chosen entry. */
    .scalar-sidebar-indent > * { visibility: hidden; }
    /* A form sends no WebSocket handshake: all that it could get is 426. */
    [id$="/customer/live"] .request-card, .scalar-client [data-sidebar-id$="/customer/live"] { display: none; }
  `,
});
