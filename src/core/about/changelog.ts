/** Changelogs in the forms of Keep a Changelog and of changesets: a heading for each version. */

/** A heading with a version: `## [1.2.0] - 2026-01-31`, `## v1.2.0 (2026-01-31)`, `## 1.2.0`, also with the app's name. */
const VERSION = /(?:^|[\s[(@v])(\d+\.\d+\.\d+(?:[-+][0-9A-Za-z.+-]+)?)(?=$|[\s\])(,:–—-])/;

interface Heading {
  line: number;
  level: number;
  version: string | null;
}

/**
 * The section of a version, without its heading and without link definitions at its end.
 * @param changelog Markdown
 * @returns null if it has no section of this version, or an empty one
 */
export function sectionOf(changelog: string, version: string): string | null {
  const lines = changelog.replace(/^\ufeff/, '').split(/\r\n|\n|\r/);
  const headings = headingsOf(lines);
  // A heading of a deeper level is part of another section, even if it mentions a version.
  const [start] = headings
    .filter((heading) => heading.version === version)
    .toSorted((one, other) => one.level - other.level);
  if (start === undefined) return null;
  const end = headings.find(({ line, level }) => line > start.line && level <= start.level);
  const section = lines.slice(start.line + 1, end?.line).join('\n');
  return section.replace(/(?:\s*\n\[[^\]\n]+\]:[^\n]*)+\s*$/, '').trim() || null;
}

/** The headings outside of code blocks. */
function headingsOf(lines: readonly string[]): Heading[] {
  const headings: Heading[] = [];
  let fence: string | null = null;
  for (const [line, text] of lines.entries()) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(text)?.[1];
    if (fence !== null) {
      if (mark !== undefined && mark.startsWith(fence)) fence = null;
      continue;
    }
    if (mark !== undefined) {
      fence = mark;
      continue;
    }
    const [, marks, title] = /^ {0,3}(#{1,6})\s+(.*)$/.exec(text) ?? [];
    if (marks !== undefined && title !== undefined)
      headings.push({ line, level: marks.length, version: versionIn(title) });
  }
  return headings;
}

function versionIn(title: string): string | null {
  return VERSION.exec(title)?.[1] ?? null;
}
