import type { Loaded } from '../../bundle/load-test/load-test.ts';
import { printable } from '../../core/text/text.ts';

/** The results of a load test, as commands print them. */

type Exports = Pick<Loaded, 'exports' | 'uiExports'> | null;

/** Lines of text: `exports: app`; none if the names are not known. */
export function exportsLines(loaded: Exports): string[] {
  return [...linesFor('exports', loaded?.exports), ...linesFor('ui.js exports', loaded?.uiExports)];
}

function linesFor(title: string, names: readonly string[] | null | undefined): string[] {
  return names ? [`${title}: ${names.length === 0 ? 'nothing' : names.map(printable).join(', ')}`] : [];
}

/** Fields of JSON; none if nothing was loaded. */
export function exportsFields(loaded: Exports): { exports?: string[] | null; uiExports?: string[] } {
  if (loaded === null) return {};
  const { exports, uiExports } = loaded;
  return { exports, ...(uiExports !== null && { uiExports }) };
}
