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
  defaultOpenAllTags: true,
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
    /* Hidden on a narrow screen, because the button that opens the sidebar would cover the address. */
    @media (max-width: 800px) { .scalar-client .scalar-sidebar-toggle { display: none; } }
    /* Hides the vertical line of each level: the indentation alone shows which entry is below which. */
    .scalar-sidebar-indent > * { visibility: hidden; }
    /* Hides the form for the WebSocket: a form sends no handshake, so it would always get 426. */
    [id$="/customer/live"] .request-card, .scalar-client [data-sidebar-id$="tag/live"] { display: none; }
  `,
});
