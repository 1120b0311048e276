/** A `_headers` file read as Netlify and Cloudflare Pages document it. */

export interface HeaderRule {
  pattern: string;
  headers: [name: string, value: string][];
}

/** @throws Error for a line that is neither a path, a header of one, a comment nor empty */
export function readHeadersFile(text: string): HeaderRule[] {
  const rules: HeaderRule[] = [];
  for (const line of text.split('\n')) {
    if (line.trim() === '' || line.trimStart().startsWith('#')) continue;
    if (/^\/\S*$/.test(line)) {
      if (line.split('*').length > 2) throw new Error(`two splats: ${line}`);
      rules.push({ pattern: line, headers: [] });
      continue;
    }
    const header = /^\s+([A-Za-z0-9-]+): (\S.*)$/.exec(line);
    if (!header || rules.length === 0) throw new Error(`no header of a path: ${line}`);
    rules.at(-1)!.headers.push([header[1]!, header[2]!]);
  }
  return rules;
}

/** The headers that a path is sent with: those of all rules that match it; one that several give, with all values. */
export function headersFor(rules: readonly HeaderRule[], path: string): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const { pattern, headers: given } of rules) {
    if (!asRegExp(pattern).test(path)) continue;
    for (const [name, value] of given)
      headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
  }
  return headers;
}

/** `*` is anything; `:name` is anything up to the next slash. */
function asRegExp(pattern: string): RegExp {
  const parts = pattern.split(/(\*|:[A-Za-z]\w*)/).map((part) => {
    if (part === '*') return '.*';
    return part.startsWith(':') ? '[^/]+' : part.replace(/[.+?^${}()|[\]\\]/g, '\\$&');
  });
  return new RegExp(`^${parts.join('')}$`);
}
