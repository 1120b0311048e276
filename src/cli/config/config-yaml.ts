import { type Document, type ErrorCode, isMap, isScalar, isSeq, Lexer, parseDocument, Parser, visit } from 'yaml';
import { lineStarts, MAX_DEPTH, positionOf } from '../../core/json/positions.ts';
import { pointerSteps } from '../../core/json/pointer.ts';
import type { Position } from '../../core/json/input-file.ts';
import type { Violation } from '../../core/json/violations.ts';
import { printable } from '../../core/text/text.ts';
import { emptyConfig, unreadableConfig } from './read-data.ts';

/** Configurations in YAML. Loaded lazily, since the parser takes longer to load than JSON to parse. */

/** Unquoted dates stay text: the core schema has no dates. */
function parse(text: string): Document.Parsed {
  return parseDocument(text, { schema: 'core', merge: true, prettyErrors: false, logLevel: 'error' });
}

/** The value of a text. @throws AppregError with the position of a syntax error */
export function yamlValue(path: string, text: string): unknown {
  refuseNesting(path, text);
  const document = parse(text);
  // A warning is about a tag that is not known: its value would be taken as text.
  const [fault] = [...document.errors, ...document.warnings].toSorted((a, b) => a.pos[0] - b.pos[0]);
  if (fault !== undefined) {
    const { line, column } = positionOf(lineStarts(text), fault.pos[0]);
    throw unreadableConfig(
      `${printable(path)}:${line}:${column}: ${printable(SENTENCES[fault.code] ?? fault.message)}`,
      fault,
    );
  }
  if (document.contents === null || (isScalar(document.contents) && document.contents.source === ''))
    throw emptyConfig(path, 'contains only comments');
  refuseUnknownAliases(path, text, document);
  try {
    return document.toJS();
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error;
    throw unreadableConfig(`${printable(path)}: Its aliases expand to too many values.`, error);
  }
}

/** Besides the collections, the parser's stack has the document and the value that is being read. */
const MAX_STACK = MAX_DEPTH + 2;

/**
 * Throws for deep nesting, before the value is built: that calls itself for each level, and V8 ends the process if its
 * stack is too small for a regular expression.
 */
function refuseNesting(path: string, text: string): void {
  const parser = new Parser();
  for (const token of new Lexer().lex(text)) {
    // Its results are built again: what it reads is only counted here.
    for (const _ of parser.next(token));
    if (parser.stack.length <= MAX_STACK) continue;
    const { line, column } = positionOf(lineStarts(text), parser.offset);
    throw unreadableConfig(
      `${printable(path)}:${line}:${column}: The value is nested more than ${MAX_DEPTH} levels deep.`,
    );
  }
}

/** Errors whose wording in the parser is about its own functions. */
const SENTENCES: Partial<Record<ErrorCode, string>> = {
  DUPLICATE_KEY: 'The name occurs twice in one object.',
  MULTIPLE_DOCS: 'A second document begins here. A configuration is one document.',
  TAG_RESOLVE_FAILED: 'Unknown tag. Write the value without a tag.',
};

function refuseUnknownAliases(path: string, text: string, document: Document.Parsed): void {
  visit(document, {
    Alias(_, alias) {
      if (alias.resolve(document) !== undefined) return;
      const { line, column } = positionOf(lineStarts(text), startOf(alias) ?? 0);
      const message = `No value before this is named “&${printable(alias.source)}”.`;
      throw unreadableConfig(`${printable(path)}:${line}:${column}: ${message}`);
    },
  });
}

/** The positions of violations in a text that `yamlValue` accepts. */
export function yamlPositions(
  text: string,
  violations: readonly Pick<Violation, 'pointer' | 'isAboutName'>[],
): Position[] {
  const document = parse(text);
  const starts = lineStarts(text);
  return violations.map(({ pointer, isAboutName }) => {
    const offset = offsetAt(document, pointerSteps(pointer), isAboutName);
    return offset === null ? null : positionOf(starts, offset);
  });
}

/** Where a value begins, or its name if `isAboutName`; null for a value that an alias or a merge refers to. */
function offsetAt(document: Document.Parsed, steps: readonly string[], isAboutName: boolean): number | null {
  let node: unknown = document.contents;
  let name: unknown = null;
  for (const step of steps) {
    name = null;
    if (isSeq(node)) node = node.items[Number(step)];
    else if (isMap(node)) {
      const pair = node.items.find(({ key }) => String(isScalar(key) ? key.value : key) === step);
      [name, node] = [pair?.key, pair?.value];
    } else return null;
  }
  return startOf(isAboutName ? (name ?? node) : (node ?? name));
}

function startOf(node: unknown): number | null {
  const range = typeof node === 'object' && node !== null && 'range' in node ? node.range : null;
  return Array.isArray(range) && typeof range[0] === 'number' ? range[0] : null;
}
