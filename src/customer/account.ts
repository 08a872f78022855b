import { account } from "../records/account.ts";

/** The account object without its loyalty options (docs/contract/interface.md, 5.1). */
export const Account = account.fields.omit({ loyalty_options: true });

/** The credentials among the loyalty options: empty in every answer. */
export const NO_CREDENTIALS = {
  mailer_domain: "",
  mailer_secret: "",
  mailer_endpoint: "",
  mailer_username: "",
  mailer_password: "",
  mailer_from_email: "",
  mailer_from_name: "",
};
