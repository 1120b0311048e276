/** Values in place of a secret, as documentation and templates have them. */

const TEMPLATE =
  /\$\{|\$\(|^\$[A-Za-z_]|\{\{|^<.*>$|%[A-Z_]{2,}%|\.{3}|…|\*{3}|x{6}|example|placeholder|change[-_ ]?me|your[-_ ]|replace[-_ ]|redacted|insert[-_ ]|dummy|process\.env|secrets\./i;
const MIN_DISTINCT = 5;

/** True for a value that only marks the place of a secret. */
export function isPlaceholder(value: string): boolean {
  return TEMPLATE.test(value) || new Set(value).size < MIN_DISTINCT;
}

const WORDS =
  /^(user(name)?|me|foo|bar|baz|name|login|pass(word|wd|phrase)?|pwd|secret|token|test|demo|admin|root|guest|abc|xyz|x+|\d{1,4})$/i;
const DOCUMENTATION_HOST =
  /(^|[.@])(localhost|example\.(com|org|net)|[\w-]+\.(example|test|invalid|localhost))$|^(127\.|0\.0\.0\.0|\[?::1|10\.|192\.168\.|host(name)?$|domain\.|my-?host|server)/i;

/** True for a URL with a user name and a password as documentation has it: `https://user:pass@example.com`. */
export function isExampleUrl(value: string): boolean {
  const [, user = '', password = '', host = ''] = /:\/\/([^:/@\s]*):([^@/\s]*)@([^/?#:\s"'`,]*)/.exec(value) ?? [];
  return WORDS.test(password) || DOCUMENTATION_HOST.test(host) || isPlaceholder(password) || user === password;
}
