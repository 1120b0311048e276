import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { githubWorkflow } from '../src/author/github-workflow.ts';
import { gitlabPipeline } from '../src/author/gitlab-pipeline.ts';

/** Every template that runs for changes of others refuses a configuration that is code: the change could contain it. */

const root = join(import.meta.dirname, '..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

const workspace = {
  manifest: 'registry.json',
  baseUrl: 'https://a.example/',
  serviceOrigins: [],
  appreg: '1.2.3',
  attest: false,
};
const STORES = [{ type: 'directory' }, { type: 'git', branch: 'gh-pages' }, { type: 's3', bucket: 'a' }];

type Values = Record<string, any>;
interface Template {
  name: string;
  text: string;
}

const inDocs = readdirSync(join(root, 'docs'))
  .filter((name) => name.endsWith('.md'))
  .flatMap((name) =>
    [...read(`docs/${name}`).matchAll(/^(name: \w+\non:\n[^]*?|default:\n[^]*?)^(?:\$ |```)/gm)].map(
      ([, text = '']) => ({
        name: `docs/${name}`,
        text,
      }),
    ),
  );
const inExamples = readdirSync(join(root, 'examples'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.includes('.github/workflows/') && !path.includes('node_modules') && !path.startsWith('out/'))
  .map((path) => ({ name: `examples/${path}`, text: read(`examples/${path}`) }));
const written = STORES.flatMap((store) => [
  { name: `GitHub, ${store.type}`, text: githubWorkflow({ ...workspace, store }) },
  { name: `GitLab, ${store.type}`, text: gitlabPipeline({ ...workspace, store }) },
]);
const all: Template[] = [...written, ...inExamples, ...inDocs];

/** The commands of jobs for pull and merge requests, with whether they accept data only. */
function commandsIn({ text }: Template): { command: string; isDataOnly: boolean }[] {
  const file = parse(text) as Values;
  const isGithub = 'jobs' in file;
  const jobs: Values[] = Object.values(isGithub ? file['jobs'] : file);
  const isForChanges = (job: Values): boolean => {
    if (!isGithub) return JSON.stringify(job?.['rules'] ?? '').includes('merge_request_event');
    return (
      'pull_request' in (file['on'] ?? {}) &&
      (job['if'] === undefined || job['if'] === "github.event_name == 'pull_request'")
    );
  };
  return jobs.filter(isForChanges).flatMap((job) => {
    const steps: Values[] = job['steps'] ?? [
      { run: [...(job['script'] ?? []), ...(job['after_script'] ?? [])].join('\n'), env: job['variables'] },
    ];
    return steps.flatMap((step): { command: string; isDataOnly: boolean }[] => {
      const format = step['env']?.APPREG_CONFIG_FORMAT ?? job['env']?.APPREG_CONFIG_FORMAT;
      const commands = [...String(step['run'] ?? '').matchAll(/^.*\bappreg(?:@\S+)? (?!verify).*$/gm)];
      const uses = String(step['uses'] ?? '').startsWith('appreg/');
      return [
        ...commands.map(([command]) => ({
          command,
          isDataOnly: format === 'data' || command.includes('--config-format data'),
        })),
        ...(uses
          ? [{ command: 'action', isDataOnly: [undefined, 'data'].includes(step['with']?.['config-format']) }]
          : []),
      ];
    });
  });
}

test('templates were found everywhere', () => {
  const withCommands = all.filter((one) => commandsIn(one).length > 0).map(({ name }) => name);
  expect(new Set(withCommands)).toEqual(
    new Set([
      'GitHub, directory',
      'GitLab, directory',
      'GitLab, git',
      'GitLab, s3',
      ...inExamples.map(({ name }) => name).filter((name) => !name.includes('/app/')),
      'docs/ci.md',
    ]),
  );
});

test.each(all)('$name refuses configurations that are code', (template) => {
  expect(commandsIn(template).filter(({ isDataOnly }) => !isDataOnly)).toEqual([]);
});

test('so do the action, the GitLab component and the hooks, unless they are told otherwise', () => {
  const action = parse(read('action.yml')) as Values;
  expect(action['inputs']['config-format'].default).toBe('data');
  const [component] = parseAllDocuments(read('templates/check.yml'));
  expect(component).toBeDefined();
  expect((component!.toJS() as Values)['spec'].inputs['config-format'].default).toBe('data');
  const hooks = parse(read('.pre-commit-hooks.yaml')) as { entry: string }[];
  expect(hooks.length).toBeGreaterThan(1);
  for (const { entry } of hooks) expect(entry).toMatch(/--config-format data$/);
});
