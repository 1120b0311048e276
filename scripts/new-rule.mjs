// Creates the files of a new rule: npm run new-rule [<group>/]<id> <subject>
// The rule, its test, and its entry in src/core/rules/index.ts.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

/** One fact of each subject, for a check that compiles; src/core/rules/subjects.ts lists the others. */
const FACTS = {
  document: 'content',
  manifest: 'keys',
  app: 'key',
  metadata: 'versions',
  version: 'version',
  url: 'url',
  resource: 'web',
  artifact: 'content',
  attestation: 'observed',
  icon: 'content',
  file: 'path',
  workspace: 'orphans',
  host: 'facts',
  exception: 'exception',
};

/** The default folder of the rules about a subject. */
const GROUPS = {
  document: 'documents',
  manifest: 'manifest',
  app: 'manifest',
  metadata: 'metadata',
  version: 'metadata',
  url: 'urls',
  resource: 'http',
  artifact: 'artifacts',
  attestation: 'attestations',
  icon: 'icons',
  file: 'documents',
  workspace: 'documents',
  host: 'http',
  exception: 'settings',
};

/** @returns the paths that were written, relative to `root`; throws if an argument is invalid or the rule exists */
export function newRule(path, subject, root = ROOT) {
  const subjects = Object.keys(FACTS).join(', ');
  if (path === undefined || subject === undefined)
    throw new Error(
      `Usage: npm run new-rule [<group>/]<id> <subject>\nSubjects: ${subjects}\nGroups: ${groups(root).join(', ')}`,
    );
  if (!Object.hasOwn(FACTS, subject)) throw new Error(`"${subject}" is not a subject. Subjects: ${subjects}`);
  const [, group = GROUPS[subject], id] = /^(?:([a-z]+)\/)?([a-z]+(?:-[a-z0-9]+)*)$/.exec(path) ?? [];
  if (id === undefined)
    throw new Error(`"${path}" is not a rule id: lowercase words joined by "-", such as redirect-insecure.`);
  if (!groups(root).includes(group))
    throw new Error(`"${group}" is not a group of rules. Groups: ${groups(root).join(', ')}`);
  const index = 'src/core/rules/index.ts';
  const list = read(root, index);
  if (list.includes(`/${id}.ts'`)) throw new Error(`The rule "${id}" exists.`);
  const name = id.replace(/-(\w)/g, (_, letter) => letter.toUpperCase());
  const files = {
    [`src/core/rules/${group}/${id}.ts`]: ruleText(id, name, subject),
    [`test/core/rules/${group}/${id}.test.ts`]: testText(group, id, name, subject),
    [index]: list
      .replace(/\n\n/, `\nimport { ${name} } from './${group}/${id}.ts';\n\n`)
      .replace(/\n\];/, `\n  ${name},\n];`),
  };
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  }
  return Object.keys(files);
}

/** The folders of src/core/rules. */
function groups(root) {
  const entries = readdirSync(join(root, 'src/core/rules'), { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

function read(root, file) {
  const path = join(root, file);
  if (!existsSync(path)) throw new Error(`${file} is missing.`);
  return readFileSync(path, 'utf8');
}

/** The notation of the examples of each subject, which test/support/rule-example.ts reads. */
const EXAMPLES = {
  document: 'A PART of a document',
  manifest: 'A PART of a document',
  app: 'A PART of a document',
  metadata: 'A PART of a document',
  version: 'A PART of a document',
  url: 'A PART of a document',
  resource: 'THE EXCHANGES: GET /registry.json, HTTP/1.1 200 OK, headers',
  artifact: 'A LISTING, as of tar -tvzf',
  icon: 'THE IMAGE, or the exchange that returns it',
  file: 'THE LINES appMetadataUrl: <path> and in the folder: <path>',
  workspace: 'THE LINES appMetadataUrl: <path> and in the folder: <path>',
  host: 'LINES such as 4 concurrent requests: 40 answered',
  exception: 'AN EXCEPTION',
};

function ruleText(id, name, subject) {
  const fact = FACTS[subject];
  return `import { message } from '../../text/message.ts';
import { defineRule } from '../rule.ts';

export const ${name} = defineRule({
  id: '${id}',
  title: 'DESCRIBE what it finds, in a few words',
  on: '${subject}',
  needs: ['${fact}'],
  severity: 'warning',
  spec: null,
  symptom: null,
  owner: 'author',
  failsWhen: 'DESCRIBE the condition, to follow "Fails when"',
  why: 'SAY what subscribers notice.',
  examples: {
    bad: '${EXAMPLES[subject]} with a finding',
    good: 'THE SAME without one',
  },
  check({ ${fact} }) {
    if (${fact} !== undefined) return null;
    return {
      message: message\`SAY what is wrong, with the value quoted.\`,
      advice: message\`SAY what to do.\`,
    };
  },
});
`;
}

function testText(group, id, name, subject) {
  return `import { ${name} } from '../../../../src/core/rules/${group}/${id}.ts';
import { ruleTable } from '../../../support/rule-table.ts';

// Each row: a name, the facts (${FACTS[subject]}), and for faulty ones what the problem must match.
ruleTable(${name}, {
  clean: [
  ],
  faulty: [
  ],
});
`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    const files = newRule(process.argv[2], process.argv[3]);
    console.log(files.map((file) => `wrote ${file}`).join('\n'));
    console.log('Next: complete both files, add a live case (test/observe/live), then npm run docs');
  } catch (error) {
    console.error(error.message.startsWith('Usage') ? error.message : `new-rule: ${error.message}`);
    process.exitCode = 1;
  }
}
