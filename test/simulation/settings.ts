import { JWT_SECRET } from "./tokens.ts";

/** The variables and the secret of the service, wherever it runs in Node. */
export const SETTINGS = {
  JWT_SECRET,
  ENVIRONMENT: "simulation",
  WORKER_NAME: "loyalty-edge",
  NEARBY_RADIUS_MILES: "25",
  JWKS_URL: "",
  JWKS: "",
  JWT_ISSUER: "",
  JWT_AUDIENCE: "",
  CORS_ORIGINS: "",
  CUSTOMER_SEARCH: "all",
};
