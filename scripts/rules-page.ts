import { explanations, explanationText, ownersOf, RULE_GROUPS } from '../src/report/rule-text.ts';
import { printable } from '../src/core/text/text.ts';
import type { AnyRule } from '../src/core/rules/rule.ts';

/** docs/rules.md: one heading per rule, in reporting order, by what the rule looks at. */
export function rulesPage(rules: readonly AnyRule[]): string {
  const lines = [
    '# Rules',
    '',
    '<!-- Generated from src/core/rules by `npm run docs`. Do not edit. -->',
    '',
    `appreg has ${rules.length} rules. Set a rule to \`off\`, \`note\`, \`warning\` or \`error\` in the configuration (\`"rules": { "<id>": "off" }\`) or with \`--rule <id>=<level>\`. The *section* is that of the registry specification; rules without one are ours alone.`,
    '',
    'The examples run as tests. Requests are those of appreg to `apps.example.com`, without the headers that do not matter; a body after `[gzip]` is compressed, and shown decoded. Archives are shown as `tar -tvzf` lists them; each file consists of zeros.',
  ];
  const chapters = Object.entries(RULE_GROUPS)
    .map(([on, title]) => ({ title, chapter: rules.filter((rule) => rule.on === on) }))
    .filter(({ chapter }) => chapter.length > 0);
  lines.push('', '| about | rules |', '| --- | --- |');
  for (const { title, chapter } of chapters)
    lines.push(`| ${title} | ${chapter.map(({ id }) => `[${id}](#${id})`).join(', ')} |`);
  for (const { title, chapter } of chapters) {
    lines.push('', `## ${title}`);
    for (const rule of chapter) lines.push('', ...section(rule));
  }
  return `${lines.join('\n')}\n`;
}

function symptomOf({ symptom }: AnyRule): string {
  if (symptom === 'by-resource') return 'that of the resource it hits';
  return symptom === null ? 'none' : `\`${symptom}\``;
}

function section(rule: AnyRule): string[] {
  return [
    `### ${rule.id}`,
    '',
    `${rule.title}.`,
    '',
    `**${rule.severity}** · section ${rule.spec ?? '–'} · symptom: ${symptomOf(rule)}${rule.hidesApp ? ' · can hide an app' : ''}${rule.immutability ? ' · exceptions need `until`' : ''}`,
    '',
    `Fails when ${rule.failsWhen}.`,
    '',
    rule.why,
    ...causeTable(rule),
    ...example('Bad', rule.on, rule.examples.bad),
    ...example('Good', rule.on, rule.examples.good),
    ...(rule.supersededBy?.length
      ? [
          '',
          'Not reported beside a finding that explains it:',
          '',
          ...explanations(rule.supersededBy).map((one) => `- ${explanationText(one, (name) => `\`${name}\``)}`),
        ]
      : []),
  ];
}

/** A code block; invisible characters are escaped. */
function example(title: string, on: AnyRule['on'], text: string): string[] {
  return ['', `${title}:`, '', `\`\`\`${languageOf(on, text)}`, text.split('\n').map(printable).join('\n'), '```'];
}

/** Subjects whose examples are parts of documents. */
const PARTS_OF_DOCUMENTS: readonly AnyRule['on'][] = [
  'document',
  'manifest',
  'app',
  'url',
  'metadata',
  'version',
  'about',
  'exception',
];

/** The name of the language of an example, for highlighting. */
function languageOf(on: AnyRule['on'], text: string): string {
  if (/^(GET|HEAD|OPTIONS) /.test(text)) return 'http';
  if (text.startsWith('<')) return text.startsWith('<svg') ? 'xml' : 'html';
  return PARTS_OF_DOCUMENTS.includes(on) && !text.startsWith('appMetadataUrl:') ? 'js' : 'text';
}

/** The causes with the party that has to act, or only that party if there are none. */
function causeTable({ owner, causes = {} }: AnyRule): string[] {
  const rows = Object.entries(causes);
  if (rows.length === 0) return ['', `To be fixed by: ${ownersOf(owner)}.`];
  return [
    '',
    '| cause | meaning | to be fixed by |',
    '| --- | --- | --- |',
    ...rows.map(
      ([cause, info]) =>
        `| \`${cause}\` | ${info.title}${info.fixable ? ' (`lint --fix`)' : ''} | ${ownersOf(info.owner ?? owner)} |`,
    ),
  ];
}
