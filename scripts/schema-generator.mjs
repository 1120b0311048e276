// Generates JSON Schemas (draft 7) from TypeScript types. A doc comment becomes a description, and these tags of it become
// keywords: @minimum, @maximum, @exclusiveMinimum, @minLength, @maxLength, @minItems, @maxItems, @uniqueItems, @pattern,
// @patternErrorMessage, @additionalProperties and @default (such a member may be absent). Also:
//   @asType integer       a JSON type in place of the TypeScript type, which may be narrower
//   @discriminator name   in a union, an object with that member is of this type
//   @orderedBy name       one element for each value of that member, in this order
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

// A CommonJS module of 9 MB: as an import, Node first searches its text for named exports, which takes a second.
/** @type {typeof import('typescript-5.9')} */
const ts = createRequire(import.meta.url)('typescript-5.9');

const NUMBERS = ['minimum', 'maximum', 'exclusiveMinimum', 'minLength', 'maxLength', 'minItems', 'maxItems'];
const TEXTS = ['pattern', 'patternErrorMessage'];
const FLAGS = ['uniqueItems', 'additionalProperties'];

/** A schema, and the definitions that it refers to. */
export class SchemaGenerator {
  definitions = {};
  #closed;
  #source;

  /** @param file with the types; @param closed unknown members are refused, except where a tag allows them */
  constructor(file, closed) {
    this.#source = sourceOf(file);
    this.#closed = closed;
  }

  /** The schema of a document that an exported type describes. */
  document(name) {
    const declaration = declarationOf(name, this.#source);
    return {
      $schema: 'http://json-schema.org/draft-07/schema#',
      title: docOf(declaration).tags.title,
      ...this.#declared(declaration),
    };
  }

  /** A reference to a type. */
  reference(name) {
    return this.#referTo(declarationOf(name, this.#source));
  }

  /** The schemas of the members of an interface, by name. */
  members(name) {
    const members = [...membersOf(declarationOf(name, this.#source))];
    return Object.fromEntries(members.map(([member, { type, doc }]) => [member, this.#described(type, doc)]));
  }

  /** The schema of an interface or a type alias. */
  #declared(declaration) {
    const doc = docOf(declaration);
    if (ts.isTypeAliasDeclaration(declaration)) return this.#described(declaration.type, doc);
    return withDoc(this.#object(membersOf(declaration)), doc);
  }

  /** The schema of a type that has a doc comment. */
  #described(type, doc) {
    const { asType, orderedBy, default: _, ...constraints } = doc.tags;
    if (asType !== undefined) return withDoc({ type: isNullable(type) ? [asType, 'null'] : asType }, doc);
    if (orderedBy !== undefined) return withDoc(this.#ordered(type, orderedBy), doc);
    return withDoc(this.#of(type, Object.keys(constraints).length > 0), doc);
  }

  /** The schema of a type, without a reference if `inline`. */
  #of(node, inline = false) {
    if (ts.isParenthesizedTypeNode(node) || ts.isTypeOperatorNode(node)) return this.#of(node.type, inline);
    if (ts.isTypeReferenceNode(node)) return this.#reference(node, inline);
    if (ts.isArrayTypeNode(node)) return { type: 'array', items: this.#of(node.elementType) };
    if (ts.isTypeLiteralNode(node)) return this.#object(membersOf(node));
    if (ts.isIntersectionTypeNode(node)) return this.#object(membersOf(node));
    if (ts.isUnionTypeNode(node)) return this.#union(node);
    if (ts.isTupleTypeNode(node)) {
      const items = node.elements.map((element) => this.#of(ts.isNamedTupleMember(element) ? element.type : element));
      return { type: 'array', items, minItems: items.length, maxItems: items.length };
    }
    const values = literalsOf(node);
    if (values !== null) return values.length === 1 ? { const: values[0] } : { enum: values };
    const type = PRIMITIVES.get(node.kind);
    if (type === 'unknown') return {};
    if (type === undefined) throw unsupported(node);
    return { type };
  }

  #reference(node, inline) {
    const name = node.typeName.getText();
    if (name === 'object') return { type: 'object' };
    if (name === 'Record') {
      const [key, value] = node.typeArguments;
      if (literalsOf(key) !== null) return this.#object(membersOf(node));
      const { pattern, patternErrorMessage } = this.#of(key, true);
      return {
        type: 'object',
        ...(pattern && { propertyNames: { pattern, patternErrorMessage } }),
        additionalProperties: this.#of(value),
      };
    }
    const declaration = declarationOf(name, node.getSourceFile());
    if (inline && ts.isTypeAliasDeclaration(declaration)) {
      const { description: _, ...schema } = this.#declared(declaration);
      return schema;
    }
    return this.#referTo(declaration);
  }

  #referTo(declaration) {
    const name = declaration.name.text;
    const key = name[0].toLowerCase() + name.slice(1);
    if (!Object.hasOwn(this.definitions, key)) {
      // The place is taken before the members are read, since they may refer to it.
      this.definitions[key] = {};
      Object.assign(this.definitions[key], this.#declared(declaration));
    }
    return { $ref: `#/definitions/${key}` };
  }

  #object(members) {
    const properties = {};
    const required = [];
    for (const [name, { type, optional, doc }] of members) {
      properties[name] = this.#described(type, doc);
      if (!optional && doc.tags.default === undefined) required.push(name);
    }
    return {
      type: 'object',
      ...(required.length > 0 && { required }),
      properties,
      ...(this.#closed && { additionalProperties: false }),
    };
  }

  /** One element for each value of the member `name`. */
  #ordered(type, name) {
    const element = (ts.isTypeOperatorNode(type) ? type.type : type).elementType;
    const ref = this.#of(element);
    const member = membersOf(element).get(name);
    const items = literalsOf(member.type).map((value) => ({
      allOf: [ref, { type: 'object', properties: { [name]: { const: value } } }],
    }));
    return { type: 'array', minItems: items.length, maxItems: items.length, items, additionalItems: false };
  }

  #union(node) {
    const parts = partsOf(node);
    const nullable = parts.some(isNull);
    const others = parts.filter((part) => !isNull(part));
    const values = others.flatMap((part) => literalsOf(part) ?? [undefined]);
    if (!values.includes(undefined)) return { enum: [...values, ...(nullable ? [null] : [])] };
    if (others.length === 1) return this.#nullable(others[0]);
    const special = others.find((part) => discriminatorOf(part) !== undefined);
    if (special !== undefined && others.length === 2) return this.#told(special, others, nullable);
    const discriminant = commonLiteral(others);
    if (discriminant !== null && !nullable) return this.#variants(others, discriminant);
    const plain = others.map((part) => PRIMITIVES.get(part.kind));
    const types = [...plain.filter((type) => type !== undefined), ...(nullable ? ['null'] : [])];
    const alternatives = others.filter((_, index) => plain[index] === undefined).map((part) => this.#of(part));
    if (alternatives.length === 0) return { type: types };
    return { anyOf: [...(types.length > 0 ? [{ type: types.length === 1 ? types[0] : types }] : []), ...alternatives] };
  }

  /** A type or null. */
  #nullable(node) {
    const schema = this.#of(node, true);
    if (schema.enum) return { ...schema, enum: [...schema.enum, null] };
    if (schema.type) return { ...schema, type: [schema.type, 'null'].flat() };
    return { type: ['object', 'null'], if: { type: 'object' }, then: schema };
  }

  /** An object with the discriminator is of the special type, and anything else of the other one. */
  #told(special, others, nullable) {
    if (nullable) throw unsupported(special);
    const name = discriminatorOf(special);
    const [other] = others.filter((part) => part !== special);
    return {
      if: { type: 'object', required: [name], properties: { [name]: {} } },
      then: this.#of(special),
      else: this.#of(other),
    };
  }

  /** Objects that the value of one member distinguishes: the members of all, and what each value requires. */
  #variants(parts, discriminant) {
    const variants = parts.map((part) => membersOf(part));
    const values = variants.map((members) => literalsOf(members.get(discriminant).type)[0]);
    const properties = { [discriminant]: { enum: values } };
    for (const [name, { type, doc }] of variants.flatMap((members) => [...members])) {
      if (name === discriminant) continue;
      const schema = this.#described(type, doc);
      properties[name] = name in properties ? widened(properties[name], schema) : schema;
    }
    const conditions = variants.flatMap((members, index) => {
      const required = [...members].filter(([name, { optional }]) => !optional && name !== discriminant);
      const names = required.map(([name]) => name);
      if (names.length === 0) return [];
      return {
        if: { properties: { [discriminant]: { const: values[index] } } },
        then: { required: names, properties: Object.fromEntries(names.map((name) => [name, {}])) },
      };
    });
    return {
      type: 'object',
      required: [discriminant],
      properties,
      ...(this.#closed && { additionalProperties: false }),
      ...(conditions.length > 0 && { allOf: conditions }),
    };
  }
}

const { SyntaxKind } = ts;
const PRIMITIVES = new Map([
  [SyntaxKind.StringKeyword, 'string'],
  [SyntaxKind.NumberKeyword, 'number'],
  [SyntaxKind.BooleanKeyword, 'boolean'],
  [SyntaxKind.ObjectKeyword, 'object'],
  [SyntaxKind.UnknownKeyword, 'unknown'],
]);

/** A schema that accepts what either accepts: equal ones, or texts of which one is any text. */
function widened(a, b) {
  if (JSON.stringify(a) === JSON.stringify(b)) return a;
  if (a.type === 'string' || b.type === 'string') return { type: 'string' };
  throw new Error(`Two members have one name: ${JSON.stringify(a)}, ${JSON.stringify(b)}`);
}

function isNullable(node) {
  return ts.isUnionTypeNode(node) && partsOf(node).some(isNull);
}

/** A schema with what the doc comment of its type says. */
function withDoc(schema, { description, tags }) {
  const keywords = [...NUMBERS, ...TEXTS, ...FLAGS, 'default'].filter((tag) => tag in tags);
  return {
    ...(description && { description }),
    ...schema,
    ...Object.fromEntries(keywords.map((tag) => [tag, tags[tag]])),
  };
}

/** The members of an object type by name, those of its bases first. */
function membersOf(node) {
  if (ts.isIntersectionTypeNode(node)) return new Map(node.types.flatMap((type) => [...membersOf(type)]));
  if (ts.isTypeReferenceNode(node)) {
    const [key, value] = node.typeArguments ?? [];
    if (node.typeName.getText() === 'Record')
      return new Map(literalsOf(key).map((name) => [name, { type: value, optional: false, doc: NO_DOC }]));
    return membersOf(declarationOf(node.typeName.getText(), node.getSourceFile()));
  }
  if (ts.isTypeAliasDeclaration(node)) return membersOf(node.type);
  const bases = (node.heritageClauses ?? []).flatMap(({ types }) => types);
  const inherited = bases.flatMap(({ expression }) => [
    ...membersOf(declarationOf(expression.getText(), node.getSourceFile())),
  ]);
  const own = node.members
    .filter(ts.isPropertySignature)
    .map((member) => [
      ts.isStringLiteral(member.name) ? member.name.text : member.name.getText(),
      { type: member.type, optional: member.questionToken !== undefined, doc: docOf(member) },
    ]);
  return new Map([...inherited, ...own]);
}

/** The parts of a union, with those of the unions that it names. */
function partsOf(node) {
  if (ts.isUnionTypeNode(node)) return node.types.flatMap(partsOf);
  if (ts.isParenthesizedTypeNode(node)) return partsOf(node.type);
  if (!ts.isTypeReferenceNode(node) || node.typeName.getText() === 'Record') return [node];
  const declaration = declarationOf(node.typeName.getText(), node.getSourceFile());
  if (!ts.isTypeAliasDeclaration(declaration) || !ts.isUnionTypeNode(declaration.type)) return [node];
  return partsOf(declaration.type);
}

/** The values of a literal, of a union of literals or of a list of texts; null for another type. */
function literalsOf(node) {
  if (ts.isLiteralTypeNode(node)) {
    const { literal } = node;
    if (literal.kind === SyntaxKind.NullKeyword) return [null];
    if (literal.kind === SyntaxKind.TrueKeyword) return [true];
    if (literal.kind === SyntaxKind.FalseKeyword) return [false];
    return [ts.isNumericLiteral(literal) ? Number(literal.text) : literal.text];
  }
  if (ts.isIndexedAccessTypeNode(node)) return valuesAt(node);
  if (ts.isTypeReferenceNode(node)) {
    if (node.typeName.getText() === 'Record') return null;
    const declaration = declarationOf(node.typeName.getText(), node.getSourceFile());
    return ts.isTypeAliasDeclaration(declaration) ? literalsOf(declaration.type) : null;
  }
  if (!ts.isUnionTypeNode(node) && !ts.isParenthesizedTypeNode(node)) return null;
  const values = partsOf(node).map((part) => (part === node ? null : literalsOf(part)));
  return values.includes(null) ? null : [...new Set(values.flat())];
}

/** The values of `(typeof LIST)[number]` and of `Union['member']`. */
function valuesAt({ objectType, indexType }) {
  const object = ts.isParenthesizedTypeNode(objectType) ? objectType.type : objectType;
  if (ts.isTypeQueryNode(object)) {
    const { initializer } = declarationOf(object.exprName.getText(), object.getSourceFile());
    const list = ts.isAsExpression(initializer) ? initializer.expression : initializer;
    return list.elements.map(({ text }) => text);
  }
  const name = indexType.literal.text;
  const values = partsOf(object).map((part) => literalsOf(membersOf(part).get(name).type));
  return values.includes(null) ? null : [...new Set(values.flat())];
}

function isNull(node) {
  return ts.isLiteralTypeNode(node) && node.literal.kind === SyntaxKind.NullKeyword;
}

/** The member that has a different literal in each of these objects; null if there is none. */
function commonLiteral(parts) {
  const variants = parts.map((part) => (ts.isTypeLiteralNode(part) ? membersOf(part) : new Map()));
  const [first] = variants;
  return (
    [...first.keys()].find((name) => variants.every((one) => one.has(name) && literalsOf(one.get(name).type))) ?? null
  );
}

function discriminatorOf(node) {
  if (!ts.isTypeReferenceNode(node)) return undefined;
  return docOf(declarationOf(node.typeName.getText(), node.getSourceFile())).tags.discriminator;
}

const NO_DOC = { description: '', tags: {} };

/** The doc comment of a declaration: its text, and its tags by name. */
function docOf(node) {
  const statement = ts.isVariableDeclaration(node) ? node.parent.parent : node;
  const doc = (statement.jsDoc ?? []).at(-1);
  // A comment before an empty line is about the file.
  const text = statement.getSourceFile().text;
  if (doc === undefined || /\n\s*\n/.test(text.slice(doc.end, statement.getStart()))) return NO_DOC;
  const tags = (doc.tags ?? []).map(({ tagName, comment }) => [tagName.text, valueOf(tagName.text, words(comment))]);
  return { description: words(doc.comment), tags: Object.fromEntries(tags) };
}

function valueOf(tag, text) {
  if (NUMBERS.includes(tag) || FLAGS.includes(tag)) return JSON.parse(text);
  return tag === 'default' && text.startsWith('[') ? JSON.parse(text) : text;
}

function words(comment) {
  return (ts.getTextOfJSDocComment(comment) ?? '').replace(/\s+/g, ' ').trim();
}

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
/** The sources of the packages of this repository. */
const PACKAGES = {
  appreg: 'src/core/index.ts',
  'appreg/node': 'src/node.ts',
  'appreg-service': 'service/src/index.ts',
  'appreg-conformance': 'conformance/src/index.ts',
};

const sources = new Map();

function sourceOf(file) {
  const known = sources.get(file);
  if (known !== undefined) return known;
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
  sources.set(file, source);
  return source;
}

/** The declaration of a name in a file, or in the one that it comes from. */
function declarationOf(name, source) {
  const found = find(name, source);
  if (found === undefined) throw new Error(`${source.fileName} has no type ${name}`);
  return found;
}

function find(name, source) {
  for (const statement of source.statements) {
    if ((ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement)) && statement.name.text === name)
      return statement;
    if (ts.isVariableStatement(statement)) {
      const variable = statement.declarationList.declarations.find((one) => one.name.getText() === name);
      if (variable !== undefined) return variable;
    }
    const original = nameInModule(name, statement);
    if (original === undefined) continue;
    const found = find(original, sourceOf(moduleFile(statement.moduleSpecifier.text, source.fileName)));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The file of a module, also of a package of this repository. */
function moduleFile(specifier, importer) {
  const own = PACKAGES[specifier];
  return own === undefined ? join(dirname(importer), specifier) : join(ROOT, own);
}

/** Name in the module of an import or export; undefined for other statements and names. */
function nameInModule(name, statement) {
  const isExport = ts.isExportDeclaration(statement);
  if (statement.moduleSpecifier === undefined) return undefined;
  if (isExport && statement.exportClause === undefined) return name;
  const clause = isExport ? statement.exportClause : statement.importClause?.namedBindings;
  const element = clause?.elements?.find((one) => one.name.text === name);
  return (element?.propertyName ?? element?.name)?.text;
}

function unsupported(node) {
  return new Error(`${node.getSourceFile().fileName}: no schema for ${node.getText()}`);
}
