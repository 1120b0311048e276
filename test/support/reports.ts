import { registryAt, withFingerprints } from '../../src/core/findings/fingerprint.ts';
import {
  isCountedFinding,
  type Finding,
  type NotJudged,
  type Report,
  SYMPTOMS,
} from '../../src/core/findings/report.ts';

/** Reports made by hand, for what no registry would give on its own. */

export function finding(more: Partial<Finding> = {}): Finding {
  return {
    rule: 'checksum-malformed',
    severity: 'error',
    symptom: 'checksum-mismatch',
    spec: '2.2',
    message: 'The digest is written in upper case.',
    advice: 'Write it in lower case.',
    cause: 'uppercase',
    app: 'hello',
    version: '1.0.0',
    resource: 'metadata',
    url: null,
    file: 'apps/hello/versions.json',
    pointer: '/versions/0/artifactChecksum',
    line: 6,
    column: 27,
    evidence: {},
    excepted: null,
    baseline: false,
    unfixable: false,
    registry: 'registry.json',
    fingerprint: '0123456789abcdef',
    ...more,
  };
}

export function notJudged(more: Partial<NotJudged> = {}): NotJudged {
  return {
    rule: 'unreachable',
    app: null,
    version: null,
    resource: null,
    code: 'offline',
    reason: 'needs the network',
    blockedBy: null,
    count: null,
    ...more,
  };
}

export function report(more: Partial<Report> = {}): Report {
  const findings = withFingerprints(more.findings ?? [], registryAt('registry.json'));
  const number = (severity: string): number =>
    findings.filter((one) => isCountedFinding(one) && one.severity === severity).length;
  return {
    schema: 1,
    tool: { name: 'appreg', version: '0.1.0' },
    command: 'lint',
    target: '.',
    registries: ['registry.json'],
    resolved: [],
    outcome: findings.some(isCountedFinding) ? 'findings' : 'clean',
    summary: {
      errors: number('error'),
      warnings: number('warning'),
      notes: number('note'),
      excepted: findings.filter((one) => !isCountedFinding(one) && !one.unfixable).length,
      unfixable: findings.filter((one) => one.unfixable).length,
      notJudged: more.notJudged?.length ?? 0,
      apps: 1,
      versions: 1,
      artifacts: 0,
      bytes: 100,
      seconds: 0.4,
    },
    symptoms: SYMPTOMS.map((id) => ({ id, status: 'clear', rules: [] })),
    apps: [{ key: 'hello', visible: true, because: [], latest: '1.0.0' }],
    notJudged: [],
    ...more,
    findings,
  };
}

/** A run that saw nothing at all, as after a usage error. */
export const NOTHING = report({
  target: '',
  outcome: 'incomplete',
  apps: [],
  summary: { ...report().summary, apps: 0, versions: 0, bytes: 0, notJudged: 1 },
  symptoms: SYMPTOMS.map((id) => ({ id, status: 'not-judged', rules: [] })),
  notJudged: [notJudged({ rule: '*', code: 'incomplete', reason: 'usage: unknown option --fixx' })],
});

/** Texts that a hostile registry writes, wherever it can. */
export const HOSTILE = [
  '::error file=x::forged',
  '  ::stop-commands::x',
  'a ##[error]forged',
  '##vso[task.complete]x',
  '##teamcity[buildStop]',
  'x\r\n::set-output name=a::b',
  '%0A::error::forged',
  'section_start:1:a\r\u001b[0K',
  '\u001b]0;title\u0007\u001b[31m',
  '\u0000\u0001\u0085\u009b31m\u007f',
  '\u202ecod\u2066\u200b\u2028\u2029\ufeff\ufffe\uffff',
  '\ud800 \udc00 \ud83d',
  ']]></failure><system-out>',
  '<script>alert(1)</script><!-- x',
  '</details><img src=x onerror=y>',
  '| a | b |\n| --- | --- |',
  '`` ` ``` ````',
  '@everyone @org/team a@b.example',
  '[click](https://evil.example) ![i](//evil.example/x.png)',
  'https://evil.example/ www.evil.example #1 GH-1 !1 %1 :smile: ~a',
  '**bold** _it_ ~~no~~ $x$ \\* &lt; &#64;',
  '- a\n# b\n1. c\n> d',
  '"quoted" \'single\' & <a b="c">',
  '__proto__',
  '../../etc/passwd',
  'C:\\x:y,z=1;2]3',
  'é 電子 😀 a\u0301',
  'x'.repeat(5000),
  '`'.repeat(5000),
  '|'.repeat(5000),
];

/** A report with this text in every field that can contain text of a registry or a command line. */
export function hostile(text: string, more: Partial<Report> = {}): Report {
  const about = { app: text, version: text, message: text, advice: text, cause: text };
  const evidence = { [text]: text, list: [text] };
  return report({
    target: text,
    outcome: 'incomplete',
    findings: [
      finding({ ...about, file: text, evidence }),
      finding({ ...about, severity: 'warning', file: null, url: text, evidence, pointer: text }),
      finding({
        ...about,
        severity: 'note',
        file: null,
        url: `https://x.example/${text}`,
        resource: 'artifact',
        evidence,
      }),
      finding({
        rule: 'no-apps',
        resource: 'manifest',
        app: null,
        version: null,
        message: text,
        file: text,
        line: null,
      }),
    ],
    notJudged: [
      notJudged({ app: text, version: text, resource: 'icon', reason: text }),
      notJudged({ rule: '*', reason: text }),
      notJudged({ rule: 'url-insecure', code: 'rule-crashed', reason: `the rule failed: ${text}` }),
    ],
    apps: [{ key: text, visible: false, because: ['app-key-unsafe'], latest: text }],
    ...more,
  });
}
