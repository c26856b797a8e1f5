// Owns what a value must look like to be a password or a key, when the words before it call it one.

/** Stands for a secret: what documentation and masked texts write. */
const placeholder =
  /^(?:[x*•.…#_-]{3,}|<.*>|\[[^\]]*\][)\]}.,;]*|\$\{?[\w.:-]+\}?|\$\(.*\)|\{\{?.*\}?\}|%\w+%|@@?\w+@@?|(?:your|my|the|some|insert|enter|replace|put)[-_ ]?[\w-]*|example\w*|dummy|fake|sample|placeholder|redacted|hidden|masked|changeme|change[-_]me|todo|tbd|foo|bar|foobar|null|nil|none|undefined|true|false|required|optional|string|password|passwd|pass|pwd|secret|token|key|value|user|username|empty|n\/a)$/i;

/** Names of algorithms, products and standards that have the form of a password. */
const technicalWord =
  /^(?:(?:sha|md|utf|base)-?\d+[\w-]*|bcrypt|s?crypt|argon2\w*|pbkdf2|hmac\S*|aes-?\d*\S*|rsa-?\d*|ed25519|es256|hs256|rs256|rfc-?\d+|oauth-?\d?|oidc|saml2?|jwts?|2fa|mfa|totp|otp|fido2?|1password|bitwarden|lastpass|keepass\w*|keychain|x-[a-z-]+|https?\S*|ipv[46]|s3|k8s|v?\d+(?:\.\d+)+|v\d+|\d+[-‑]?(?:chars?|characters?|digits?|bits?|bytes?|kb|mb|gb|s|ms|min|minutes?|h|hours?|d|days?|weeks?|months?|years?|st|nd|rd|th|x|k|m|%|€|\$)|\d{4}-\d\d-\d\d\S*|\d{1,2}[./:]\d{1,2}\S*|[A-Z]\d{1,3})$/i;

/** A name of a variable, a file or a function, not its value. */
const reference =
  /^(?:(?:process\.env|os\.environ|env|secrets?|config|settings|vault|var|local|data|self|this)[.[(:]\S*|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|[a-z]+(?:_[a-z]+)+|[\w.]+\(.*|(?:\.{0,2}|~)\/[a-z0-9_./-]*|[a-z][a-z0-9_.-]*(?:\/[a-z0-9_.-]+)+|[\w.-]+\.(?:txt|pem|key|json|ya?ml|toml|env|cfg|ini|md|ts|js|py|go|rs|com|org|net|io|dev)|\S+@\S+\.\w+|https?:\/\/\S*)$/;

export function isPlaceholder(value: string): boolean {
  return placeholder.test(value);
}

/** Whether a value that is called a password in an assignment may be one. */
export function isAssignedPassword(value: string): boolean {
  return value.length >= 4 && isSecretLike(value);
}

function isSecretLike(value: string): boolean {
  return !placeholder.test(value) && !reference.test(value) && !technicalWord.test(value);
}

/** Whether a word in prose can only be a password: letters with digits, or with signs that words do not contain. */
export function isPasswordLike(value: string): boolean {
  if (value.length < 4 || value.length > 200 || !isSecretLike(value)) return false;
  const hasLetter = /\p{L}/u.test(value);
  const hasDigit = /\d/.test(value);
  const hasSign = /[!@#$%^&*_+=~?|\\]/.test(value.slice(0, -1));
  return (hasLetter && (hasDigit || hasSign)) || (hasDigit && hasSign);
}

/** Whether a value that is called a key or a token is random enough to be one. */
export function isKeyLike(value: string): boolean {
  if (value.length < 8 || value.length > 2_000 || !isSecretLike(value)) return false;
  if (!/^[\w.~+/=-]+$/.test(value)) return false;
  const hasDigit = /\d/.test(value);
  const isMixed = /[a-z]/.test(value) && /[A-Z]/.test(value);
  const isLong = value.length >= 20;
  if (!/[A-Za-z]/.test(value) && !(isLong && hasDigit)) return false;
  if (!hasDigit && !(isLong && isMixed)) return false;
  return entropyOf(value) >= (value.length < 12 ? 2.7 : 3);
}

/** Shannon entropy in bits per character. */
function entropyOf(value: string): number {
  const counts = new Map<string, number>();
  for (const character of value) counts.set(character, (counts.get(character) ?? 0) + 1);
  let entropy = 0;
  for (const count of counts.values()) entropy -= (count / value.length) * Math.log2(count / value.length);
  return entropy;
}
