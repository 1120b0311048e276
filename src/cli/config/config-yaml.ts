import { CORE_SCHEMA, load, types, YAMLException } from 'js-yaml';
import { lineStarts, positionOf } from '../../core/json/positions.ts';
import { pointerSteps } from '../../core/json/pointer.ts';
import type { Position, Violation } from '../../core/json/violations.ts';
import { printable } from '../../core/text/text.ts';
import { emptyConfig, unreadableConfig } from './read-data.ts';

/** Configurations in YAML. Loaded lazily, since the parser takes longer to load than JSON to parse. */

/** Without dates: YAML would make a date of text without quotes, and another day of one that does not exist. */
const SCHEMA = CORE_SCHEMA.extend({ implicit: [types.merge] });

/** The value of a text. @throws AppregError with the position of a syntax error */
export function yamlValue(path: string, text: string): unknown {
  let value: unknown;
  try {
    value = load(text, { schema: SCHEMA });
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    const place = error.mark ? `:${error.mark.line + 1}:${error.mark.column + 1}` : '';
    throw unreadableConfig(`${printable(path)}${place}: ${printable(error.reason)}`, error);
  }
  const isNothing = (value === undefined || value === null) && /^\s*(?:#.*|---|\.\.\.|\s)*$/.test(text.trim());
  if (isNothing) throw emptyConfig(path, 'contains only comments');
  return value;
}

interface YamlNode {
  start: number;
  value: unknown;
  children: YamlNode[];
}

/** The positions of violations in a text that `yamlValue` accepts. */
export function yamlPositions(text: string, violations: readonly Violation[]): Position[] {
  const root = treeOf(text);
  const starts = lineStarts(text);
  return violations.map(({ pointer, isAboutName }) => {
    const found = nodeAt(root, pointerSteps(pointer));
    return found && positionOf(starts, (isAboutName ? found.nameStart : null) ?? found.start);
  });
}

/** Offsets of a value, and of its name if it is a member; null if it is not found. */
function nodeAt(root: YamlNode | null, steps: readonly string[]): { start: number; nameStart: number | null } | null {
  let node = root;
  let nameStart: number | null = null;
  for (const step of steps) {
    if (node === null) return null;
    const { value, children }: YamlNode = node;
    const at = Array.isArray(value)
      ? Number(step)
      : 1 + children.findIndex((child, index) => index % 2 === 0 && String(child.value) === step);
    nameStart = Array.isArray(value) ? null : (children[at - 1]?.start ?? null);
    node = (Array.isArray(value) || at > 0 ? children[at] : null) ?? null;
  }
  return node && { start: node.start, nameStart };
}

function treeOf(text: string): YamlNode | null {
  const open: YamlNode[] = [];
  let root: YamlNode | null = null;
  const listener = (event: 'open' | 'close', { position, result }: { position: number; result: unknown }): void => {
    if (event === 'open') {
      open.push({ start: afterSpace(text, position), value: undefined, children: [] });
      return;
    }
    const node = open.pop();
    if (node === undefined) return;
    node.value = result;
    const parent = open.at(-1);
    if (parent) parent.children.push(node);
    else root = node;
  };
  load(text, { schema: SCHEMA, listener });
  return root;
}

/** The offset after white space, comments and the marker of a list's item or document. */
function afterSpace(text: string, from: number): number {
  const pattern = /(?:\s|#.*|---(?=\s))*/y;
  pattern.lastIndex = from;
  return from + (pattern.exec(text)?.[0].length ?? 0);
}
