import { message } from '../../core/text/message.ts';
import { basename, extname } from 'node:path';
import type { Loader } from 'cosmiconfig';
import type * as YamlLibrary from 'yaml';
import { AppregError } from '../../core/errors/error.ts';
import { faultText, type Position, positionsInJson } from '../../core/json/input-file.ts';
import { syntaxErrorInText } from '../../core/json/json.ts';
import { pointerSteps } from '../../core/json/pointer.ts';
import { duplicateNames, lineStarts, MAX_DEPTH, positionOf, survey } from '../../core/json/positions.ts';
import type { Violation } from '../../core/json/violations.ts';
import { printable, shorten } from '../../core/text/text.ts';
import { isShellPipe, readRegularFile, whyNotRegularFile } from '../../platform/regular-file.ts';
import { type ConfigFile, type ConfigForm, unsupported } from './find.ts';

/** Reads the data of a configuration: in JSON, in YAML, or in the field `appreg` of a package.json. */

const NAME = 'appreg';

/** Wraps the value that a loader returns, so that cosmiconfig interprets neither null nor “$import” in a value. */
interface Loaded {
  value: unknown;
  /** Of the file, without a byte order mark. */
  text: string;
}

const refuse: Loader = (path) => {
  throw unsupported(path);
};

/** Given loaders are added to those of cosmiconfig, so each ending of code needs one. */
const LOADERS: Readonly<Record<string, Loader>> = {
  '.json': loader(jsonValue),
  '.yaml': loader(readYaml),
  '.yml': loader(readYaml),
  noExt: loader(readYaml),
  '.js': refuse,
  '.mjs': refuse,
  '.cjs': refuse,
  '.ts': refuse,
};

/**
 * The value and the text of a configuration file. It is not searched here: the search of cosmiconfig executes code.
 * @throws AppregError `config-unreadable` if it cannot be read or parsed, or has no settings; `config-missing` if
 *   --config names a file that does not exist
 */
export async function readConfig({ path, named }: Pick<ConfigFile, 'path' | 'named'>): Promise<Loaded> {
  refuseUnreadable(path, named);
  const [{ cosmiconfig }, { metaSearchPlaces }] = await Promise.all([
    import('cosmiconfig'),
    import('cosmiconfig/dist/defaults.js'),
  ]);
  // It would search the current folder for settings of its own, and execute .config/config.js.
  metaSearchPlaces.length = 0;
  const explorer = cosmiconfig(NAME, { searchPlaces: [], loaders: LOADERS, cache: false });
  const found = await explorer.load(path);
  if (found === null) throw emptyConfig(path, `has no field “${NAME}”`);
  if (found.isEmpty === true) throw emptyConfig(path, 'is empty');
  const loaded: Loaded = found.config;
  return loaded;
}

function loader(valueOf: (path: string, text: string) => unknown): Loader {
  return async (path, content): Promise<Loaded | Record<string, Loaded>> => {
    const text = decodedText(path, content);
    const value = await valueOf(path, text);
    const name = basename(path);
    if (name === 'package.json') return hasField(value) ? { [NAME]: { value: value[NAME], text } } : {};
    // cosmiconfig takes the field of any file that is called “package”.
    return basename(name, extname(name)) === 'package' ? { [NAME]: { value, text } } : { value, text };
  };
}

function hasField(value: unknown): value is Record<typeof NAME, unknown> {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, NAME);
}

/** Throws for a path that is not a readable file, before it is read: reading a named pipe waits for its writer. */
function refuseUnreadable(path: string, named: boolean): void {
  const unreadable = whyNotRegularFile(path);
  if (unreadable === null) return;
  const { failure, code } = unreadable;
  if (!named || code !== 'ENOENT') throw unreadableConfig(`${printable(path)} ${failure}.`);
  throw new AppregError(
    'config-missing',
    message`The configuration file ${path} ${failure}.`,
    message`Check the path after --config.`,
  );
}

/**
 * The text that was read from a file as UTF-8.
 * @throws AppregError if the file is not UTF-8
 */
function decodedText(path: string, content: string): string {
  // The character that replaces invalid bytes may also be in the file. A pipe can be read only once.
  if (content.includes('\ufffd') && !isShellPipe(path)) {
    const read = readRegularFile(path);
    if ('failure' in read) throw unreadableConfig(`${printable(path)} ${read.failure}.`);
    try {
      new TextDecoder('utf-8', { fatal: true }).decode(read.bytes);
    } catch (error) {
      throw unreadableConfig(`${printable(path)} is not UTF-8 text.`, error);
    }
  }
  return content.replace(/^\ufeff/, '');
}

/** The value of a JSON text. @throws AppregError with the position of a syntax error, and for a name twice */
function jsonValue(path: string, text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    // Parser messages differ between Node versions.
    const fault = syntaxErrorInText(text);
    if (fault === null) throw error;
    throw faultAt(path, text, fault.offset, fault.message, error);
  }
  refuseDuplicates(path, text);
  return value;
}

/** Throws for settings with a name twice, of which the first would be ignored. Deep nesting is refused later. */
function refuseDuplicates(path: string, text: string): void {
  if (survey(text, MAX_DEPTH).depth > MAX_DEPTH) return;
  const isPackage = basename(path) === 'package.json';
  // The other fields of a package.json are not settings.
  const [twice] = duplicateNames(text).filter(({ pointer }) => !isPackage || /^\/appreg(?:\/|$)/.test(pointer));
  if (twice === undefined) return;
  throw faultAt(path, text, twice.offset, `The name “${shorten(twice.name, 80)}” occurs twice in one object.`);
}

type Yaml = typeof YamlLibrary;

/** Unquoted dates stay text: the core schema has no dates. */
function parsedYaml({ parseDocument }: Yaml, text: string): YamlLibrary.Document.Parsed {
  return parseDocument(text, { schema: 'core', merge: true, prettyErrors: false, logLevel: 'error' });
}

async function readYaml(path: string, text: string): Promise<unknown> {
  const valueOf = await yamlReader();
  return valueOf(path, text);
}

/**
 * Reads YAML texts, with the path for messages. Its parser is loaded on demand, since that takes longer than to parse
 * JSON.
 */
export async function yamlReader(): Promise<(path: string, text: string) => unknown> {
  const yaml = await import('yaml');
  return (path, text) => yamlValue(yaml, path, text);
}

/** The value of a YAML text. @throws AppregError with the position of a syntax error, and for deep nesting */
function yamlValue(yaml: Yaml, path: string, text: string): unknown {
  refuseNesting(yaml, path, text);
  const document = parsedYaml(yaml, text);
  // A warning is about a tag that is not known: its value would be taken as text.
  const [fault] = [...document.errors, ...document.warnings].toSorted((a, b) => a.pos[0] - b.pos[0]);
  if (fault !== undefined) throw faultAt(path, text, fault.pos[0], SENTENCES[fault.code] ?? fault.message, fault);
  const { contents } = document;
  if (contents === null || (yaml.isScalar(contents) && contents.source === ''))
    throw emptyConfig(path, 'contains only comments');
  yaml.visit(document, {
    Alias(_, alias) {
      if (alias.resolve(document) !== undefined) return;
      throw faultAt(path, text, startOf(alias) ?? 0, `No value before this is named “&${alias.source}”.`);
    },
  });
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
function refuseNesting({ Lexer, Parser }: Yaml, path: string, text: string): void {
  const parser = new Parser();
  for (const token of new Lexer().lex(text)) {
    // Its results are built again: what it reads is only counted here.
    for (const _ of parser.next(token));
    if (parser.stack.length <= MAX_STACK) continue;
    throw faultAt(path, text, parser.offset, `The value is nested more than ${MAX_DEPTH} levels deep.`);
  }
}

/** Errors whose wording in the parser is about its own functions. */
const SENTENCES: Partial<Record<YamlLibrary.ErrorCode, string>> = {
  DUPLICATE_KEY: 'The name occurs twice in one object.',
  MULTIPLE_DOCS: 'A second document begins here. A configuration is one document.',
  TAG_RESOLVE_FAILED: 'Unknown tag. Write the value without a tag.',
};

/**
 * Where settings are in the text that `readConfig` returned.
 * @returns null for a value that an alias or a merge refers to
 */
export async function positionsIn(
  form: ConfigForm,
  text: string,
  places: readonly Pick<Violation, 'pointer' | 'isAboutName'>[],
): Promise<Position[]> {
  if (form !== 'yaml') {
    const prefix = form === 'package' ? `/${NAME}` : '';
    return positionsInJson(
      text,
      places.map((one) => ({ ...one, pointer: prefix + one.pointer })),
    );
  }
  const yaml = await import('yaml');
  const document = parsedYaml(yaml, text);
  const starts = lineStarts(text);
  return places.map(({ pointer, isAboutName }) => {
    const offset = offsetAt(yaml, document, pointerSteps(pointer), isAboutName);
    return offset === null ? null : positionOf(starts, offset);
  });
}

/** A configuration file, and what it says. */
export interface ConfigText {
  /** Absolute. */
  path: string;
  form: ConfigForm;
  text: string;
}

/**
 * The error for a configuration with invalid settings; it names all of them, with their places.
 * @param source null if the settings are from no file
 */
export async function configError(source: ConfigText | null, violations: readonly Violation[]): Promise<AppregError> {
  const positions = source === null ? [] : await positionsIn(source.form, source.text, violations);
  const text = faultText(
    source?.path ?? 'The configuration',
    violations.map(({ message }, index) => ({ message, position: positions[index] ?? null })),
  );
  const isAboutRules = violations.every(({ isUnknownRule }) => isUnknownRule === true);
  return isAboutRules
    ? new AppregError('rule-unknown', text, message`appreg rules lists the rules.`)
    : new AppregError('config-invalid', text, message`appreg explain config-invalid describes the settings.`);
}

/** Where a value begins, or its name if `isAboutName`; null for a value that an alias or a merge refers to. */
function offsetAt(
  { isMap, isScalar, isSeq }: Yaml,
  document: YamlLibrary.Document.Parsed,
  steps: readonly string[],
  isAboutName: boolean,
): number | null {
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

function faultAt(path: string, text: string, offset: number, fault: string, cause?: unknown): AppregError {
  const { line, column } = positionOf(lineStarts(text), offset);
  return unreadableConfig(`${printable(path)}:${line}:${column}: ${printable(fault)}`, cause);
}

export function unreadableConfig(reason: string, cause?: unknown): AppregError {
  return new AppregError(
    'config-unreadable',
    message`The configuration cannot be read: ${reason}`,
    message`Fix the file, or use another one: --config <file>.`,
    { cause },
  );
}

/** @param what the file does instead of containing settings, such as “is empty” */
function emptyConfig(path: string, what: string): AppregError {
  return new AppregError(
    'config-unreadable',
    message`${path} ${what}, so it contains no configuration.`,
    message`Write {} for a configuration without settings, or remove the file.`,
  );
}
