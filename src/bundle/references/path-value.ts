import { posix } from 'node:path';
import type { AnyNode, CallExpression, NewExpression } from 'acorn';

/** The values of expressions that name paths beside the code, without running it. */

/** Placeholder for the folder of the code; deep, so that `..` stays distinguishable. */
const HERE = '/\0/1/2/3/4/5/6/7/8/here';
const HERE_FILE = `${HERE}/app.js`;
/** Functions that return their argument in another notation. */
const SAME = new Set([
  'fileURLToPath',
  'pathToFileURL',
  'realpathSync',
  'String',
  'toString',
  'normalize',
  'toNamespacedPath',
]);
const JOINING = new Set(['join', 'resolve']);

/** The value of each variable that is declared once, by its name. */
export type Variables = ReadonlyMap<string, AnyNode>;

/** The name of a called function: of its last member, or of the import that it is. */
export function nameOfCallee(
  { callee }: CallExpression | NewExpression,
  imported: ReadonlyMap<string, string>,
): string {
  const called = callee.type === 'SequenceExpression' ? callee.expressions.at(-1) : callee;
  if (called?.type === 'Identifier') return imported.get(called.name) ?? called.name;
  if (called?.type !== 'MemberExpression') return '';
  if (called.property.type === 'Identifier' && !called.computed) return called.property.name;
  return '';
}

/** True for `import.meta.<name>`. */
export function isMeta(node: AnyNode, names: readonly string[]): boolean {
  return (
    node.type === 'MemberExpression' &&
    node.object.type === 'MetaProperty' &&
    node.property.type === 'Identifier' &&
    names.includes(node.property.name)
  );
}

/** Reads the values of expressions. */
export interface PathReader {
  /** The value of a constant expression; null for any other. */
  valueOf(node: AnyNode): string | null;
  /** True for a value that is the code's own folder, or one that contains it. */
  isOwnFolder(value: string | null): boolean;
}

/** @param imported the names of imports, by those of the code */
export function pathReader(variables: Variables, imported: ReadonlyMap<string, string>): PathReader {
  const reading = new Set<AnyNode>();

  function valueOf(node: AnyNode): string | null {
    if (reading.has(node)) return null;
    reading.add(node);
    try {
      return read(node);
    } finally {
      reading.delete(node);
    }
  }

  function read(node: AnyNode): string | null {
    switch (node.type) {
      case 'Literal':
        return typeof node.value === 'string' ? node.value : null;
      case 'Identifier': {
        const variable = variables.get(node.name);
        return variable === undefined ? null : valueOf(variable);
      }
      case 'TemplateLiteral':
        return concatenated(
          node.quasis.flatMap(({ value }, index) => {
            const inner = node.expressions[index];
            return inner === undefined ? [value.cooked ?? null] : [value.cooked ?? null, valueOf(inner)];
          }),
        );
      case 'BinaryExpression':
        return node.operator === '+' ? concatenated([valueOf(node.left), valueOf(node.right)]) : null;
      case 'LogicalExpression':
        return valueOf(node.left) ?? valueOf(node.right);
      case 'ConditionalExpression':
        return valueOf(node.consequent) ?? valueOf(node.alternate);
      case 'MemberExpression':
        if (isMeta(node, ['url', 'filename'])) return HERE_FILE;
        if (isMeta(node, ['dirname'])) return HERE;
        return node.property.type === 'Identifier' && ['href', 'pathname'].includes(node.property.name)
          ? valueOf(node.object)
          : null;
      case 'NewExpression':
        return nameOfCallee(node, imported) === 'URL' ? urlOf(node.arguments.map(valueOf)) : null;
      case 'CallExpression':
        return called(node);
      default:
        return null;
    }
  }

  function called(node: CallExpression): string | null {
    const name = nameOfCallee(node, imported);
    const values = node.arguments.map(valueOf);
    const [first] = values;
    if (name === 'toString' && node.callee.type === 'MemberExpression') return valueOf(node.callee.object);
    if (SAME.has(name)) return first ?? null;
    if (name === 'dirname') return first === undefined || first === null ? null : posix.dirname(first);
    if (!JOINING.has(name) || values.includes(null)) return null;
    const texts = values.filter((value) => value !== null);
    return name === 'join' ? posix.join(...texts) : absolute(texts);
  }

  return {
    valueOf,
    isOwnFolder: (value) =>
      value !== null && isInside(value) && `${HERE}/`.startsWith(withSlash(posix.normalize(value))),
  };
}

/** A path that starts from the code, relative to its folder; null for any other value. */
export function pathFromCode(value: string | null): string | null {
  return value === null || !isInside(value) ? null : posix.relative(HERE, posix.normalize(value));
}

function isInside(value: string): boolean {
  return value.startsWith('/\0');
}

function withSlash(path: string): string {
  return path.endsWith('/') ? path : `${path}/`;
}

function concatenated(values: readonly (string | null)[]): string | null {
  return values.includes(null) ? null : values.join('');
}

function absolute(texts: readonly string[]): string | null {
  const path = posix.resolve('/', ...texts);
  return isInside(path) ? path : null;
}

function urlOf([path, base]: readonly (string | null)[]): string | null {
  if (path === undefined || path === null) return null;
  if (base === undefined) return isInside(path) ? path : null;
  if (base === null || !isInside(base) || /^([a-z][\w+.-]*:|\/)/i.test(path)) return null;
  const folder = base.endsWith('/') ? base : posix.dirname(base);
  return posix.join(folder, path.replace(/[?#].*$/, ''));
}
