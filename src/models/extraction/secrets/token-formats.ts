// Owns the formats of secrets that have one and that secretlint's recommended rules do not cover. The comment of a row is the id of the
// rule of gitleaks (8.30) for the same format, where it has one.

import { secretForm } from "../../../access/key.ts";
import { type FindSecrets, type FoundSecret, findMatches } from "./found-secret.ts";

/** `hint` occurs in every match, in any case: a text without it is not searched. */
interface TokenFormat {
  readonly kind: string;
  readonly hint: string;
  readonly pattern: RegExp;
}

/** @param body of the token; it is neither preceded nor followed by a letter, a digit or an underscore */
function token(kind: string, hint: string, body: string): TokenFormat {
  return { kind, hint: hint.toLowerCase(), pattern: new RegExp(String.raw`(?<!\w)(?:${body})(?!\w)`, "gd") };
}

/** The first group of the pattern is the secret. */
function within(kind: string, hint: string, pattern: RegExp): TokenFormat {
  return { kind, hint, pattern };
}

const uuid = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";

const formats: readonly TokenFormat[] = [
  // Of memledger itself.
  token("memledger", "ml", secretForm),

  // Formats of many services.
  within(
    "private-key", // private-key
    "private key",
    /-----BEGIN[ A-Z0-9_-]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:(?!-----END)[\s\S]){0,20000}(?:-----END[ A-Z0-9_-]{0,40}-----)?/dgi,
  ),
  within("private-key", "private-lines:", /^Private-Lines: \d+(?:\r?\n[A-Za-z0-9+/=]{1,80}){1,500}/dgm),
  token("age", "age-secret-key-", "AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}"), // age-secret-key
  token("jwt", "eyj", String.raw`eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}`), // jwt
  token(
    "password-hash",
    "$",
    String.raw`\$(?:2[abxy]?\$\d\d\$[./A-Za-z0-9]{53}|[156y]\$[^\s:$]{4,40}\$[./A-Za-z0-9]{22,90})`,
  ),
  token(
    "password-hash",
    "$argon2",
    String.raw`\$argon2(?:id|i|d)\$v=\d+\$[^\s$]{5,60}\$[A-Za-z0-9+/]{8,90}\$[A-Za-z0-9+/]{20,120}`,
  ),

  // Code and packages.
  token("github", "gh", String.raw`gh[pousr]_\w{36,255}|github_pat_\w{60,255}`), // github-pat, github-oauth, github-app-token
  token("gitlab", "gl", String.raw`gl(?:pat|ptt|dt|rt|rtr|cbt|ft|imt|agent|oas|soat|ffct)-[\w-]{20,300}`), // gitlab-*
  token("bitbucket", "atbb", "ATBB[A-Za-z0-9_=.-]{20,100}"),
  token("npm", "npm_", "npm_[A-Za-z0-9]{36}"), // npm-access-token
  token("pypi", "pypi-", String.raw`pypi-[\w-]{50,500}`), // pypi-upload-token
  token("rubygems", "rubygems_", "rubygems_[0-9a-f]{48}"), // rubygems-api-token
  token("nuget", "oy2", "oy2[a-z0-9]{43}"),
  token("docker", "dckr_pat_", String.raw`dckr_pat_[\w-]{27,40}`),
  token("sonarqube", "sq", "sq[pua]_[0-9a-f]{40}"), // sonar-api-token
  token("sentry", "sntry", "sntry[us]_[A-Za-z0-9+/=_-]{40,400}"), // sentry-user-token, sentry-org-token
  token("postman", "pmak-", "PMAK-[0-9a-f]{24}-[0-9a-f]{34}"), // postman-api-token
  token("circleci", "ccipat_", String.raw`CCIPAT_[\w-]{40,80}`),
  token("terraform", ".atlasv1.", String.raw`[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,70}`), // hashicorp-tf-api-token
  token("pulumi", "pul-", "pul-[0-9a-f]{40}"), // pulumi-api-token
  token("vault", "hv", String.raw`hv[sbr]\.[\w-]{24,300}`), // vault-service-token, vault-batch-token
  token("doppler", "dp.", String.raw`dp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9._-]{40,60}`), // doppler-api-token
  token("1password", "a3-", "A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}"), // 1password-secret-key

  // Clouds.
  token("aws", "a", "(?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA)(?!IOSFODNN7EXAMPLE)[A-Z0-9]{16}"), // aws-access-token
  token("google", "aiza", String.raw`AIza[\w-]{35}`), // gcp-api-key
  token("google", "ya29.", String.raw`ya29\.[\w-]{20,300}`),
  token("google", "gocspx-", String.raw`GOCSPX-[\w-]{28}`),
  token("azure", "q~", String.raw`[\w~.-]{3}\dQ~[\w~.-]{31,34}`), // azure-ad-client-secret
  within("azure", "accountkey=", /(?:AccountKey|SharedAccessKey)=([A-Za-z0-9+/]{40,90}={0,2})/dgi),
  within("azure", "sig=", /[?&]sig=([A-Za-z0-9%+/]{40,70}(?:%3D|=)?)/dg),
  token("digitalocean", "_v1_", "do[opr]_v1_[0-9a-f]{64}"), // digitalocean-pat, digitalocean-access-token
  token("heroku", "hrku-", String.raw`HRKU-[\w-]{36,80}`), // heroku-api-key-v2
  token("fly", "f", String.raw`fo1_[\w-]{43}|fm[12][ar]?_[A-Za-z0-9+/=]{100,1000}`), // flyio-access-token
  token("netlify", "nfp_", "nfp_[A-Za-z0-9]{36}"),
  token("supabase", "sb", String.raw`sbp_[0-9a-f]{40}|sb_secret_[\w-]{20,60}`),
  token("planetscale", "pscale_", String.raw`pscale_(?:tkn|pw|oauth)_[\w=.-]{32,64}`), // planetscale-*
  token("openshift", "sha256~", String.raw`sha256~[\w-]{43}`), // openshift-user-token

  // Language models.
  token("anthropic", "sk-ant-", String.raw`sk-ant-[\w-]{20,200}`), // anthropic-api-key
  token("openrouter", "sk-or-", "sk-or-(?:v1-)?[0-9a-f]{40,80}"),
  token(
    "openai", // openai-api-key
    "sk-",
    String.raw`sk-(?=[A-Za-z]*\d)[A-Za-z0-9]{20,200}|sk-(?!ant-|or-)[a-z]{2,12}-(?=[\w-]*\d)(?=[\w-]*[A-Z])[\w-]{40,300}`,
  ),
  token("xai", "xai-", "xai-[A-Za-z0-9]{60,100}"),
  token("groq", "gsk_", "gsk_[A-Za-z0-9]{40,60}"),
  token("perplexity", "pplx-", "pplx-[A-Za-z0-9]{40,60}"), // perplexity-api-key
  token("huggingface", "hf_", "hf_[A-Za-z0-9]{30,40}"), // huggingface-access-token
  token("replicate", "r8_", "r8_[A-Za-z0-9]{37}"),
  token("nvidia", "nvapi-", String.raw`nvapi-[\w-]{40,80}`),
  token("langsmith", "lsv2_", "lsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}"),
  token("tavily", "tvly-", String.raw`tvly-[\w-]{20,60}`),

  // Messages and mail.
  token("slack", "xox", String.raw`xox[abeoprs](?:\.xox[bp])?-[\w-]{10,300}`), // slack-bot-token, slack-user-token, slack-legacy-token
  token("slack", "xapp-", String.raw`xapp-\d-[\w-]{20,200}`), // slack-app-token
  within(
    "slack",
    "hooks.slack.com",
    /hooks\.slack\.com\/(?:services|workflows|triggers)\/([\w/+-]{30,100})/dgi,
  ), // slack-webhook-url
  within("discord", "/api/webhooks/", /discord(?:app)?\.com\/api\/webhooks\/(\d{15,21}\/[\w-]{50,90})/dgi),
  token("discord", ".", String.raw`[MNO][A-Za-z0-9_-]{23,27}\.[\w-]{6}\.[\w-]{27,40}`), // discord-api-token
  token("telegram", ":a", String.raw`(?:bot)?\d{6,12}:A[\w-]{34}`), // telegram-bot-api-token
  within("teams", "webhook.office.com", /webhook\.office\.com\/webhookb2\/([\w@/-]{60,200})/dgi), // microsoft-teams-webhook
  token("twilio", "sk", "SK[0-9a-f]{32}"), // twilio-api-key
  token("sendgrid", "sg.", String.raw`SG\.[\w-]{16,32}\.[\w-]{16,64}`), // sendgrid-api-token
  token("mailgun", "key-", "key-[0-9a-f]{32}"), // mailgun-private-api-token
  token("mailchimp", "-us", "[0-9a-f]{32}-us[0-9]{1,2}"), // mailchimp-api-key
  token("brevo", "xkeysib-", "xkeysib-[0-9a-f]{64}-[A-Za-z0-9]{16}"), // sendinblue-api-token

  // Payments, shops and offices.
  token("stripe", "k_", "(?:sk|rk)_(?:live|test|prod)_[A-Za-z0-9]{10,120}"), // stripe-access-token
  token("stripe", "whsec_", "whsec_[A-Za-z0-9+/=]{24,80}"),
  token("square", "sq0", String.raw`sq0(?:atp|csp)-[\w-]{22,60}`), // square-access-token
  token("shopify", "shp", "shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}"), // shopify-access-token
  token("plaid", "access-", `access-(?:sandbox|development|production)-${uuid}`), // plaid-api-token
  token("easypost", "ez", "EZ[AT]K[A-Za-z0-9]{54}"), // easypost-api-token
  token("shippo", "shippo_", "shippo_(?:live|test)_[0-9a-fA-F]{40}"), // shippo-api-token
  token("facebook", "eaa", "EAA[MC][A-Za-z0-9]{100,300}"), // facebook-page-access-token
  token("dropbox", "sl.", String.raw`sl\.(?:u\.)?[\w-]{100,1500}`), // dropbox-short-lived-api-token
  token("mapbox", "sk.ey", String.raw`sk\.eyJ[\w-]{20,200}\.[\w-]{20,60}`),
  token("atlassian", "atatt3", String.raw`ATATT3[\w=-]{80,300}`), // atlassian-api-token
  token("airtable", "pat", String.raw`pat[A-Za-z0-9]{14}\.[0-9a-f]{64}`), // airtable-personnal-access-token
  token("notion", "secret_", "secret_[A-Za-z0-9]{43}"), // notion-api-token
  token("linear", "lin_", "lin_(?:api|oauth)_[A-Za-z0-9]{40}"), // linear-api-key
  token("figma", "figd_", String.raw`figd_[\w-]{40,60}`),
  token("hubspot", "pat-", `pat-(?:na|eu|ap)\\d-${uuid}`), // hubspot-api-key
  token("newrelic", "nrak-", "NRAK-[A-Z0-9]{27}"), // new-relic-user-api-key
  token("dynatrace", "dt0", String.raw`dt0[a-z]\d\d\.[A-Z0-9]{24}\.[A-Z0-9]{64}`), // dynatrace-api-token
  token("grafana", "gl", "glc_[A-Za-z0-9+/]{32,400}={0,2}|glsa_[A-Za-z0-9]{32}_[0-9a-fA-F]{8}"), // grafana-*
  token("sourcegraph", "sgp_", "sgp_(?:[0-9a-fA-F]{16}_|local_)?[0-9a-fA-F]{40}"), // sourcegraph-access-token
  token("contentful", "cfpat-", String.raw`CFPAT-[\w-]{43}`),
  token("typeform", "tfp_", String.raw`tfp_[\w-]{40,70}`), // typeform-api-token
  token("readme", "rdme_", "rdme_[a-z0-9]{70}"), // readme-api-token
];

export const findTokenFormats: FindSecrets = (text) => {
  const lower = text.toLowerCase();
  const found: FoundSecret[] = [];
  for (const { kind, hint, pattern } of formats)
    if (lower.includes(hint)) found.push(...findMatches(text, pattern, kind));
  return found;
};
