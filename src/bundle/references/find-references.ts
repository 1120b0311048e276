import { isBuiltin } from 'node:module';
import { posix } from 'node:path';
import { type AnyNode, type CallExpression, type NewExpression, parse, type Program } from 'acorn';
import { isMeta, nameOfCallee, pathFromCode, pathReader, type PathReader } from './path-value.ts';
import type { FoundReference } from './reference.ts';

/** References in compiled code. */

const MOST_SHOWN = 60;
const LOG = /^(console|log|logger|debug|trace|info|warn|error)$/i;
const RELATIVE = /^\.\.?\//;
/** The name of a file that code may look for in its own folder. */
const BESIDE = /^[\w./-]+\.wasm$|^[\w./-]*worker[\w.-]*\.[cm]?js$/;

interface Scope {
  code: string;
  reader: PathReader;
  imported: ReadonlyMap<string, string>;
  /** Functions that load modules: results of `createRequire`, and that of the compiler. */
  requires: ReadonlySet<string>;
  /** The imports that the compiler left in the code. */
  external: ReadonlySet<string>;
  found: FoundReference[];
}

/** True if each call of a function is in a branch whose failure the code handles. */
export function isOnlyTried(code: string, name: string): boolean {
  const isCall = (node: AnyNode): boolean =>
    node.type === 'CallExpression' && node.callee.type === 'Identifier' && node.callee.name === name;
  const isCalled = (node: AnyNode): boolean => {
    const { others } = branchesOf(node);
    return isCall(node) || others.some(isCalled);
  };
  return !isCalled(parsed(code));
}

/**
 * The references of a part of the compiled code.
 * @param external the imports that the compiler left in the code, other than modules of Node
 * @throws SyntaxError for a part that is not a module on its own
 */
export function findReferences(code: string, external: ReadonlySet<string>): FoundReference[] {
  const program = parsed(code);
  const imported = importedNames(program);
  const variables = new Map<string, AnyNode>();
  // That of the compiler, for CommonJS modules.
  const requires = new Set(['__require']);
  const declared = new Set<string>();
  visit(program, (node) => {
    if (node.type !== 'VariableDeclarator' || node.id.type !== 'Identifier') return;
    const { name } = node.id;
    if (declared.has(name)) variables.delete(name);
    else if (node.init) variables.set(name, node.init);
    declared.add(name);
    if (node.init?.type === 'CallExpression' && nameOfCallee(node.init, imported) === 'createRequire')
      requires.add(name);
  });
  const reader = pathReader(variables, imported);
  const scope: Scope = { code, reader, imported, requires, external, found: [] };
  search(program, scope);
  return mostSpecific(scope.found);
}

function parsed(code: string): Program {
  return parse(code, { ecmaVersion: 'latest', sourceType: 'module', allowHashBang: true });
}

function importedNames(program: Program): Map<string, string> {
  const names = new Map<string, string>();
  for (const statement of program.body) {
    if (statement.type !== 'ImportDeclaration') continue;
    for (const one of statement.specifiers)
      if (one.type === 'ImportSpecifier')
        names.set(one.local.name, one.imported.type === 'Identifier' ? one.imported.name : String(one.imported.value));
  }
  return names;
}

/** Adds the references below a node; does not enter those that it adds. */
function search(node: AnyNode, scope: Scope, isOptional = false): void {
  const reference = referenceAt(node, scope);
  if (reference === 'none') return;
  if (reference !== null) {
    scope.found.push({ ...reference, code: excerpt(node, scope.code), isOptional });
    return;
  }
  const { tried, others } = branchesOf(node);
  for (const child of tried) search(child, scope, true);
  for (const child of others) search(child, scope, isOptional);
}

/** The parts of a node: those whose failure the code handles, and the others. */
function branchesOf(node: AnyNode): { tried: AnyNode[]; others: AnyNode[] } {
  const children = [...childrenOf(node)];
  if (node.type !== 'TryStatement' || !isHandled(node.handler?.body.body)) return { tried: [], others: children };
  return { tried: [node.block], others: children.filter((child) => child !== node.block) };
}

/** False for no handler, and for one that only throws the error again. */
function isHandled(body: readonly AnyNode[] | undefined): boolean {
  return body !== undefined && body[0]?.type !== 'ThrowStatement';
}

type Found = Pick<FoundReference, 'kind' | 'target'> | 'none' | null;

/** The reference that a node is; `none` if there is none in it either. */
function referenceAt(node: AnyNode, scope: Scope): Found {
  const { reader, external } = scope;
  switch (node.type) {
    case 'ImportDeclaration':
    case 'ExportNamedDeclaration':
    case 'ExportAllDeclaration':
    case 'ImportExpression': {
      const name = node.source ? reader.valueOf(node.source) : null;
      if (name === null) return node.type === 'ImportExpression' ? computedModule(node.source) : null;
      return external.has(name) ? moduleReference(name) : null;
    }
    case 'NewExpression':
    case 'CallExpression':
      return referenceOfCall(node, scope) ?? pathReference(node, reader);
    case 'BinaryExpression':
      if (node.operator !== '+') return null;
      return pathReference(node, reader) ?? computedIn([node.left, node.right], node.right, reader);
    case 'TemplateLiteral':
      return pathReference(node, reader) ?? templateReference(node.expressions, node.quasis[1]?.value.raw, reader);
    case 'ReturnStatement':
      return node.argument && reader.isOwnFolder(reader.valueOf(node.argument)) ? computed() : null;
    case 'Literal':
      return typeof node.value === 'string' && BESIDE.test(node.value)
        ? { kind: 'beside', target: posix.normalize(node.value) }
        : null;
    default:
      return null;
  }
}

function referenceOfCall(node: CallExpression | NewExpression, scope: Scope): Found {
  const { reader, imported, requires, external } = scope;
  const [first] = node.arguments;
  if (first === undefined) return null;
  const name = nameOfCallee(node, imported);
  const value = reader.valueOf(first);
  if (name === 'createRequire' || isLog(node)) return 'none';
  if (node.type === 'CallExpression') {
    if (isMeta(node.callee, ['resolve'])) return value === null ? computed() : moduleReference(value);
    if (isRequire(node.callee, requires, imported)) {
      if (value === null) return computedModule(first);
      return pathFromCode(value) === null ? moduleReference(value) : null;
    }
    if (value !== null && external.has(value) && first.type === 'Literal') return moduleReference(value);
  }
  if (startsCode(node, name)) {
    const target =
      value === null ? null : (pathFromCode(value) ?? (RELATIVE.test(value) ? posix.normalize(value) : null));
    if (target !== null && !isEvaluated(node)) return { kind: 'code', target };
  }
  const givesFolder = node.arguments.some((one) => reader.isOwnFolder(reader.valueOf(one)));
  // It builds a path, or looks for files in the folder.
  if (givesFolder && reader.valueOf(node) === null) return computed();
  return null;
}

function computed(): Found {
  return { kind: 'computed', target: null };
}

/** A module whose name is not known; a path of the code is a reference of its own. */
function computedModule(name: AnyNode): Found {
  return name.type === 'NewExpression' ? null : { kind: 'module', target: null };
}

function computedIn(parts: readonly AnyNode[], right: AnyNode, reader: PathReader): Found {
  const isPath = parts.some((part) => reader.isOwnFolder(reader.valueOf(part))) && reader.valueOf(right) === null;
  return isPath ? computed() : null;
}

function templateReference(expressions: readonly AnyNode[], after: string | undefined, reader: PathReader): Found {
  const [first] = expressions;
  return first !== undefined && reader.isOwnFolder(reader.valueOf(first)) && /^[\\/]/.test(after ?? '')
    ? computed()
    : null;
}

function pathReference(node: AnyNode, reader: PathReader): Found {
  const target = pathFromCode(reader.valueOf(node));
  if (target === null || target === 'app.js' || /^(\.\.\/?)*$/.test(target)) return null;
  return { kind: 'file', target };
}

function moduleReference(name: string): Found {
  if (isBuiltin(name)) return 'none';
  if (RELATIVE.test(name)) return { kind: 'file', target: posix.normalize(name) };
  return /^\/|^[a-z]+:/.test(name) ? 'none' : { kind: 'package', target: name };
}

/** True for a function that `createRequire` returned, and for its `resolve`. */
function isRequire(callee: AnyNode, requires: ReadonlySet<string>, imported: ReadonlyMap<string, string>): boolean {
  if (callee.type === 'CallExpression') return nameOfCallee(callee, imported) === 'createRequire';
  if (callee.type === 'Identifier') return requires.has(callee.name);
  if (callee.type !== 'MemberExpression' || callee.property.type !== 'Identifier') return false;
  return callee.property.name === 'resolve' && isRequire(callee.object, requires, imported);
}

function startsCode(node: CallExpression | NewExpression, name: string): boolean {
  return node.type === 'NewExpression' ? /^(Shared)?Worker$/.test(name) : name === 'fork';
}

/** True for `new Worker(code, { eval: true })`. */
function isEvaluated({ arguments: [, options] }: CallExpression | NewExpression): boolean {
  return (
    options?.type === 'ObjectExpression' &&
    options.properties.some(
      (one) => one.type === 'Property' && one.key.type === 'Identifier' && one.key.name === 'eval',
    )
  );
}

function isLog({ callee }: CallExpression | NewExpression): boolean {
  const object = callee.type === 'MemberExpression' ? callee.object : callee;
  return object.type === 'Identifier' && LOG.test(object.name);
}

/** Of references to one file, the first says most about it. */
const ORDER: readonly FoundReference['kind'][] = ['code', 'file', 'beside'];

/** Without folders of which a file is found too, and without duplicates. */
function mostSpecific(found: readonly FoundReference[]): FoundReference[] {
  // Of an optional reference and one that is not, the second counts.
  const ordered = found.toSorted((a, b) => Number(b.isOptional) - Number(a.isOptional));
  const unique = new Map(ordered.map((one) => [keyOf(one), one]));
  const all = found.filter((one) => unique.get(keyOf(one)) === one);
  return all.filter(
    ({ kind, target }) =>
      !all.some(
        (other) => ORDER.indexOf(other.kind) < ORDER.indexOf(kind) && target !== null && other.target === target,
      ) && !(kind === 'file' && all.some((other) => other.target?.startsWith(`${target}/`) === true)),
  );
}

/** Modules by the same pattern of `imports` are one: `#fonts/a` and `#fonts/b`. */
function keyOf({ kind, target, code }: FoundReference): string {
  return `${kind} ${target?.startsWith('#') === true ? posix.dirname(target) : (target ?? code)}`;
}

function visit(node: AnyNode, see: (node: AnyNode) => void): void {
  see(node);
  for (const child of childrenOf(node)) visit(child, see);
}

function* childrenOf(node: AnyNode): Generator<AnyNode> {
  for (const value of Object.values(node)) {
    if (Array.isArray(value)) {
      for (const item of value) if (isNode(item)) yield item;
    } else if (isNode(value)) yield value;
  }
}

function isNode(value: unknown): value is AnyNode {
  return (
    typeof value === 'object' && value !== null && 'type' in value && 'start' in value && typeof value.type === 'string'
  );
}

function excerpt({ start, end }: AnyNode, code: string): string {
  const text = code.slice(start, end).replace(/\s+/g, ' ');
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text;
}
