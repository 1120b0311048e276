import { describe, expect, test } from 'vitest';
import { settingsOf } from '../../src/cli/config/config.ts';
import { runExplain } from '../../src/cli/commands/explain.ts';
import { runRules } from '../../src/cli/commands/rules.ts';
import { RULE_GROUP_NAMES } from '../../src/cli/define/choices.ts';
import { exitCodeOf } from '../../src/core/errors/codes/exit-codes.ts';
import { type ErrorCode, ERRORS } from '../../src/core/errors/codes/index.ts';
import { rules } from '../../src/core/rules/index.ts';
import { RULE_GROUPS } from '../../src/report/rule-text.ts';
import { printable } from '../../src/core/text/text.ts';
import type { GlobalOptions } from '../../src/cli/io/invocation.ts';
import { cliContext } from '../support/cli-context.ts';
import { refusal } from './author-support.ts';

async function explained(id: string, options: GlobalOptions = {}): Promise<string> {
  const context = cliContext({ cwd: '.', options });
  expect(await runExplain(context, id)).toBe(0);
  return context.printed.out.join('\n');
}

/** Without the Markdown code spans of a rule's text. */
function plain(text: string): string {
  return text.replaceAll('`', '');
}

describe('explain', () => {
  test.each(rules.map((rule) => [rule.id, rule] as const))(
    'prints every declared field of the rule %s',
    async (id, rule) => {
      const text = await explained(id);
      expect(text.startsWith(id)).toBe(true);
      for (const part of [plain(rule.failsWhen), plain(rule.why), `docs/rules.md#${id}`, `--rule ${id}=off`])
        expect(text).toContain(part);
      for (const [cause, { title }] of Object.entries(rule.causes ?? {})) {
        expect(text).toContain(`  ${cause} `);
        expect(text).toContain(plain(title));
      }
      for (const line of [...rule.examples.bad.split('\n'), ...rule.examples.good.split('\n')])
        expect(text).toContain(printable(line).trimEnd());
      expect(text).not.toMatch(/: undefined|\[object|\ufeff/);
      const { rule: json } = JSON.parse(await explained(id, { format: 'json' })) as { rule: Record<string, unknown> };
      expect(json).toMatchObject({ id, severity: rule.severity, examples: rule.examples, spec: rule.spec });
      expect(json['owners']).not.toEqual([]);
    },
  );

  test.each(Object.entries(ERRORS))(
    'prints the error code %s with its fix and exit code',
    async (code, { title, fix }) => {
      const exit = exitCodeOf(code as ErrorCode);
      const text = await explained(code);
      for (const part of [title, fix, `exit code ${exit}`]) expect(text).toContain(part);
      expect(JSON.parse(await explained(code, { format: 'json' }))).toMatchObject({
        errorCode: { code, title, fix, exit },
      });
    },
  );

  test('prints both the rule and the error of a common name', async () => {
    const { rule, errorCode } = JSON.parse(await explained('artifact-changed', { format: 'json' })) as {
      rule: unknown;
      errorCode: unknown;
    };
    expect([rule, errorCode]).not.toContain(null);
  });

  test.each([
    ['checksum-malformd', 'Did you mean checksum-malformed?'],
    ['cors', 'cors-missing'],
    ['missing cors', 'Did you mean cors-missing?'],
    ['constructor', 'Unknown rule or error code “constructor”. '],
    ['\u001b[2J', 'Unknown rule or error code “\\u{1b}[2J”'],
  ])('reports the unknown name %j with similar names', async (id, message) => {
    const error = await refusal(runExplain(cliContext({ cwd: '.' }), id));
    expect(error).toMatchObject({ code: 'rule-unknown', exit: 2 });
    expect(`${error.message} `).toContain(message);
  });

  test('finds ids in any case', async () => {
    expect(await explained(' CORS-Missing ')).toBe(await explained('cors-missing'));
  });

  test('shows the last day in an exception of a rule about immutability', async () => {
    expect(await explained('artifact-changed')).toContain('"until": "<YYYY-MM-DD>"');
    expect(await explained('cors-missing')).toContain(
      '"exceptions": [{ "rule": "cors-missing", "app": "<key>", "reason": "<why>" }]',
    );
    for (const { id, immutability = false } of rules) {
      const { rule } = JSON.parse(await explained(id, { format: 'json' })) as { rule: object };
      expect(rule).toMatchObject({ exceptionNeedsUntil: immutability });
    }
  });
});

async function listed(
  options: Parameters<typeof runRules>[1],
  config: Record<string, unknown> = {},
): Promise<{ id: string; level: string; group: string }[]> {
  const context = cliContext({
    cwd: '.',
    options: { ...options, format: 'json' },
    config: async () => settingsOf(config, null, '.'),
  });
  expect(await runRules(context, options)).toBe(0);
  return (JSON.parse(context.printed.out.join()) as { rules: { id: string; level: string; group: string }[] }).rules;
}

describe('rules', () => {
  test('lists each rule once, in aligned columns', async () => {
    const context = cliContext({ cwd: '.' });
    expect(await runRules(context, {})).toBe(0);
    const text = context.printed.out.join('\n');
    const rows = text
      .split('\n')
      .filter((line) => /^ {2}[a-z]/.test(line))
      .slice(1);
    expect(rows.map((row) => row.trim().split(' ')[0]).toSorted()).toEqual(rules.map(({ id }) => id).toSorted());
    const level = text.split('\n')[0]!.indexOf('level');
    for (const row of rows) expect(row.slice(level)).toMatch(/^(error|warning|note) /);
    expect(text.endsWith(`${rules.length} rules`)).toBe(true);
    expect((await listed({})).map(({ id }) => id)).toEqual(rules.map(({ id }) => id));
  });

  test('shows the levels of the configuration and of --rule', async () => {
    const levels = await listed({ rule: ['no-apps=error'] }, { rules: { 'cors-missing': 'off' } });
    expect(levels.find(({ id }) => id === 'cors-missing')).toMatchObject({ level: 'off', severity: 'error' });
    expect(levels.find(({ id }) => id === 'no-apps')).toMatchObject({ level: 'error', severity: 'note' });
  });

  test('filters by group, level and symptom', async () => {
    expect(new Set((await listed({ group: 'icon' })).map(({ group }) => group))).toEqual(new Set(['icon']));
    expect(new Set((await listed({ level: 'note' })).map(({ level }) => level))).toEqual(new Set(['note']));
    const symptom = await listed({ symptom: 'icon-does-not-display' });
    expect(symptom.map(({ id }) => id)).toEqual(expect.arrayContaining(['icon-not-image', 'cors-missing']));
    expect(symptom.map(({ id }) => id)).not.toContain('checksum-malformed');
    const context = cliContext({ cwd: '.' });
    await runRules(context, { level: 'off' });
    expect(context.printed.out).toEqual(['No rule matches.']);
  });

  test('has the groups of the documentation', () => {
    expect(RULE_GROUP_NAMES).toEqual(Object.keys(RULE_GROUPS));
  });
});
