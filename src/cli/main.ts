import { resolve } from 'node:path';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { printable } from '../core/text.ts';
import { isTrouble } from '../core/trouble.ts';
import { VERSION } from '../core/tool.ts';
import type { Context, GlobalOptions } from './context.ts';

/**
 * Runs the command line and returns the exit code; never throws, never ends the process.
 * @param argv as `process.argv`: the first two elements are skipped
 */
export async function main(argv: readonly string[]): Promise<number> {
  let code = 0;
  const program = build((value) => {
    code = value;
  });
  try {
    if (argv[2] === '__complete') {
      const { complete } = await import('./commands/complete.ts');
      process.stdout.write(await complete(program, argv.slice(3)));
      return 0;
    }
    await program.parseAsync(argv);
    return code;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode !== 0) {
      const { misunderstood } = await import('./checks.ts');
      const report = misunderstood(argv.slice(2), error.message.replace(/^error: /, ''));
      if (report !== null) process.stdout.write(`${report}\n`);
    }
    return tell(error, argv.includes('--verbose'));
  }
}

/** Usage errors and known trouble in a line or two; a defect of ours with its stack. Always to stderr. */
function tell(error: unknown, verbose: boolean): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (isTrouble(error)) {
    process.stderr.write(`appreg: ${error.message}\n  ${error.hint}\n`);
    if (verbose && error.stack) process.stderr.write(`${byLine(error.stack)}\n`);
    return error.exit;
  }
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`appreg ${VERSION} has a defect; please report it with what follows.\n${byLine(stack)}\n`);
  return 2;
}

/** A stack quotes what it stumbled over. */
function byLine(stack: string): string {
  return stack.split('\n').map(printable).join('\n');
}

type Action = (context: Context, ...rest: any[]) => Promise<number>;

/** The program with all its commands. @param done is given the exit code of the one that runs */
export function build(done: (code: number) => void): Command {
  const program = new Command('appreg')
    .description('Author, lint, publish and verify app registries.')
    .version(VERSION)
    .enablePositionalOptions()
    .exitOverride()
    .showHelpAfterError('(appreg --help lists the commands)')
    .addHelpText('after', '\nStart with: appreg init my-registry --base-url https://apps.example.com/');
  withGlobals(program);

  /** One block per command: name, words, options, and a module that is loaded only now. */
  function command(usage: string, description: string, load: () => Promise<Action>): Command {
    const made = program.command(usage).description(description).exitOverride();
    made.showHelpAfterError(`(appreg ${made.name()} --help tells what it takes)`);
    withGlobals(made);
    return made.action(async (...args: unknown[]) => {
      const self = args.pop() as Command;
      const options = self.optsWithGlobals<GlobalOptions>();
      // The program's own default would win over what stands behind the command's name.
      if (self.opts<GlobalOptions>().color === false) options.color = false;
      args.pop();
      done(await (await load())(await contextFor(options), ...args, options));
    });
  }

  command('init [dir]', 'scaffold a registry workspace', async () => (await import('./commands/init.ts')).init)
    .option('--base-url <url>', 'the address that the files will be served at')
    .option('--manifest <name.json>', 'file name of the manifest (default: registry.json)')
    .option('--service-origin <origin>', 'an origin that browsers will ask from; repeatable', collect)
    .option(
      '--store <type>',
      'where the registry is published: directory, git or s3 (default: what --host takes, or directory)',
    )
    .option('--bucket <name>', 'with --store s3: the bucket')
    .option('--prefix <path>', 'with --store s3: put in front of every path')
    .option('--region <region>', "with --store s3: the bucket's region")
    .option('--endpoint <url>', "with --store s3: the store's address, where it is not Amazon's")
    .option('--remote <name|url>', 'with --store git: the remote (default: origin)')
    .option('--branch <name>', 'with --store git: the branch (default: gh-pages)')
    .option(
      '--host <host>',
      'also write what this host needs: r2, s3, gcs, github-pages, cloudflare-pages, netlify or nginx',
    )
    .option('--ci <system>', 'write a CI workflow: github, gitlab or none');

  command(
    'add-app <key>',
    'add an app to the manifest, with its metadata file',
    async () => (await import('./commands/add-app.ts')).addApp,
  )
    .option('--name <name>', 'display name')
    .option('--description <text>', 'what the app does, in a sentence')
    .option('--icon <file|url>', 'PNG or SVG; a file is checked and copied')
    .addOption(blockColor())
    .option('--metadata-url <url>', 'where its metadata file is kept, if not in this workspace')
    .option('--dry-run', 'check everything and show the plan; write nothing');

  command(
    'assemble',
    'make the manifest from apps/<key>/app.json, one small file for each app',
    async () => (await import('./commands/assemble.ts')).assembleManifest,
  )
    .option('--remove <key>', 'let this app leave the manifest; repeatable', collect)
    .option('--check', 'look at the folders alone, not at what is published; write nothing')
    .option(
      '--against <dir|git-ref|file|url>',
      'with --check: refuse a folder that is gone, though its app is listed there',
    )
    .option('--dry-run', 'make every read and check, show the plan; write nothing');

  command(
    'bundle <entry> <output>',
    'build an entry point, or pack a folder, into a reproducible .tar.gz',
    async () => (await import('./commands/bundle.ts')).bundle,
  )
    .option('--ui <entry>', 'a second entry point, built to ui.js')
    .option('--external <name>', 'leave a package out of the bundle; repeatable', collect)
    .option('--include <glob>', 'add files beside the code; repeatable', collect)
    .option('--target <target>', 'what the code will run on (default: node22)')
    .option('--minify', 'make the code smaller')
    .option('--sourcemap', 'write the source map into the code');

  command(
    'checksum <file|url...>',
    'print sha256:HEX as the metadata wants it',
    async () => (await import('./commands/checksum.ts')).checksum,
  );

  command(
    'publish-version <app> <version>',
    'publish a version (or: major, minor, patch) of an app',
    async () => (await import('./commands/publish-version.ts')).publishVersion,
  )
    .option('--artifact <file>', 'a .tar.gz that is already built')
    .option('--entry <file>', 'build this entry point first')
    .option('--ui <file>', 'with --entry: a second entry point, built to ui.js')
    .option('--artifact-url <url>', 'an artifact that is already served elsewhere')
    .option('--allow-prerelease', 'allow a version with a pre-release or build part')
    .option('--dry-run', 'make every read and check, show the plan; write nothing')
    .option('--no-read-back', 'do not fetch the artifact through its public URL before listing it')
    .option('--read-back-timeout <s>', 'seconds until that URL must serve it (default: s3 30, git 600)', positive);

  command('lint [path...]', 'check files without the network', async () => (await import('./commands/lint.ts')).lint)
    .option('--against <dir|git-ref|file|url>', 'also check what may never change')
    .option('--fix', 'mend what is certain');

  withLook(
    command('verify <registry-url>', 'check a live registry', async () => (await import('./commands/verify.ts')).verify)
      .option('--versions <which>', 'latest, all or a semver range (default: all)')
      .option('--save <facts.json>', 'save what was seen, to be judged again')
      .option('--cache <dir>', 'ask only for what may have changed since the last run with this folder')
      .option('--wait <duration>', 'look again, for so long, until all is listed and verified; such as 30s, 10m, 1h')
      .option('--shard <i/n>', 'look at one of n parts of the apps; judge puts their saved facts together'),
  );

  withLook(
    command(
      'diagnose <url|facts.json>',
      'check a live registry, told by symptom, for a support ticket',
      async () => (await import('./commands/diagnose.ts')).diagnose,
    )
      .option('--version <version>', 'with --app: why is this version not there?')
      .option('--bundle <file>', 'write facts and report to a file for the ticket, without secrets'),
  );

  command(
    'lock [where]',
    'note in appreg.lock.json what is published, so that a change is found',
    async () => (await import('./commands/lock.ts')).lock,
  )
    .option('--header <header>', "send 'Name: value' to a live registry's origin; repeatable", collect)
    .option('--header-env <name=ENVVAR>', 'the same, with the value taken from the environment; repeatable', collect)
    .option('--ca <file>', 'trust this certificate authority as well (PEM)');

  command(
    'mirror <registry-url> <dir>',
    'copy a registry, verified, with its URLs rewritten; resumable',
    async () => (await import('./commands/mirror.ts')).mirrorRegistry,
  )
    .option('--base-url <url>', 'the address that the copy will be served at')
    .option('--app <key>', 'only this app; repeatable', collect)
    .option('--versions <which>', 'latest, all or a semver range (default: all)')
    .option('--prune', 'drop what the source lists no more')
    .option('--header <header>', "send 'Name: value' to the registry's origin; repeatable", collect)
    .option('--header-env <name=ENVVAR>', 'the same, with the value taken from the environment; repeatable', collect)
    .option('--concurrency <n>', 'requests under way at once per host (default: 32)', positive)
    .option('--ca <file>', 'trust this certificate authority as well (PEM)');

  command(
    'diff <before> [after]',
    'show what subscribers would see change between two states',
    async () => (await import('./commands/diff.ts')).diff,
  )
    .option('--header <header>', "send 'Name: value' to a live registry's origin; repeatable", collect)
    .option('--header-env <name=ENVVAR>', 'the same, with the value taken from the environment; repeatable', collect)
    .option('--ca <file>', 'trust this certificate authority as well (PEM)');

  command(
    'judge <facts.json...>',
    'judge saved facts again; those of several shards together',
    async () => (await import('./commands/judge.ts')).judge,
  );

  command(
    'subscribe <registry-url>',
    'subscribe an organization of the service to a registry',
    async () => (await import('./commands/subscribe.ts')).subscribeTo,
  )
    .option('--service <base_url>', "the service's address")
    .option('--name <name>', 'what the registry is called in the organization')
    .option('--token-env <ENVVAR>', 'send the token in this environment variable (Authorization: Bearer)')
    .option('--header <header>', "send 'Name: value' to the service; repeatable", collect)
    .option('--header-env <name=ENVVAR>', 'the same, with the value taken from the environment; repeatable', collect)
    .option('--ca <file>', 'trust this certificate authority as well (PEM)')
    .option('--timeout <s>', 'seconds to wait for the answer (default: 60)', positive);

  command(
    'serve [dir]',
    'serve a workspace as a registry host should',
    async () => (await import('./commands/serve.ts')).serve,
  )
    .option('--port <n>', 'port to listen on; 0 picks a free one (default: 8080)', port)
    .option('--host <address>', 'address to listen on (default: 127.0.0.1)')
    .option('--https', 'serve over HTTPS with a local certificate authority')
    .option('--no-rewrite', "leave the workspace's base URL as it is");

  command('service', 'run the subscriber service', async () => (await import('./commands/service.ts')).service)
    .option('--port <n>', 'port to listen on; 0 picks a free one (default: PORT, or 8090)', port)
    .option('--host <address>', 'address to listen on (default: HOST, or 127.0.0.1)')
    .option('--data <folder>', 'where its own PostgreSQL keeps the database, without DATABASE_URL')
    .option('--role <web|worker>', 'do this work alone; repeatable (default: both)', collect)
    .option('--allow-host <host>', 'ask this host although its addresses are private; repeatable', collect)
    .option('--allow-http', 'take registries without TLS from any host')
    .option('--open-sign-up', 'let anybody who reaches it make an organization')
    .option('--ca <file>', 'trust this certificate authority as well (PEM)')
    .option('--interval <s>', 'seconds between two checks of a registry (default: 3600)', positive)
    .option('--concurrency <n>', 'registries checked at once (default: 8)', positive);

  command(
    'completion <shell>',
    'print a script that completes at Tab (bash, zsh or fish)',
    async () => (await import('./commands/completion.ts')).completion,
  ).addHelpText(
    'after',
    `
Once, for all of your shells to come:
  bash  echo 'eval "$(appreg completion bash)"' >> ~/.bashrc
  zsh   echo 'eval "$(appreg completion zsh)"' >> ~/.zshrc    (behind the line with compinit)
  fish  appreg completion fish > ~/.config/fish/completions/appreg.fish`,
  );
  return program;
}

/** What the commands that look at a live registry take. */
function withLook(command: Command): Command {
  return command
    .option('--app <key>', 'only this app; repeatable', collect)
    .option('--origin <origin>', "the service's origin, to ask with as a browser does; repeatable", collect)
    .option('--header <header>', "send 'Name: value' to the registry's origin; repeatable", collect)
    .option('--header-env <name=ENVVAR>', 'the same, with the value taken from the environment; repeatable', collect)
    .option('--concurrency <n>', 'requests under way at once per host (default: 32)', positive)
    .option('--timeout <s>', 'seconds for one resource (default: 60, artifacts 600)', positive)
    .option('--ca <file>', 'trust this certificate authority as well (PEM)')
    .option('--skip-artifacts', 'do not download artifacts')
    .option('--against <file|url>', 'also check what may never change');
}

function withGlobals(command: Command): void {
  command
    .option('--config <file>', 'configuration file (default: the nearest appreg.config.*)')
    .option('--cwd <dir>', 'run as if started there')
    .option('--format <format>', 'pretty or json; checks also take sarif, junit, github, gitlab, markdown')
    .option('--output <file>', 'write results to a file instead of stdout')
    .option('--quiet', 'results only')
    .option('--verbose', 'say more')
    .option('--no-color', 'no colours')
    .option('--yes', 'ask no questions')
    .option('--max-warnings <n>', 'exit 1 when there are more warnings', whole)
    .option('--rule <id=level>', 'set a rule to off, note, warning or error; repeatable', collect);
}

async function contextFor(options: GlobalOptions): Promise<Context> {
  const cwd = resolve(options.cwd ?? '.');
  const env = process.env;
  const { openTerminal } = await import('./terminal.ts');
  const terminal = await openTerminal({
    quiet: options.quiet === true,
    verbose: options.verbose === true,
    color: options.color === false ? false : null,
    yes: options.yes === true,
    output: options.output === undefined ? null : resolve(cwd, options.output),
    env,
  });
  return {
    cwd,
    options,
    terminal,
    env,
    async config(from = cwd) {
      const { loadConfig } = await import('./config.ts');
      return loadConfig(from, options.config === undefined ? null : resolve(cwd, options.config), env);
    },
  };
}

/** `--color` of an app is not the opposite of `--no-color`, so it goes by another name. */
function blockColor(): Option {
  const option = new Option('--color <#RRGGBB>', 'background colour of its blocks');
  option.attributeName = () => 'blockColor';
  return option;
}

function collect(value: string, before: string[] | undefined): string[] {
  return [...(before ?? []), value];
}

function whole(value: string): number {
  if (!/^\d{1,9}$/.test(value)) throw new InvalidArgumentError('It takes a whole number.');
  return Number(value);
}

function positive(value: string): number {
  const number = Number(value);
  if (!(number > 0) || !Number.isFinite(number)) throw new InvalidArgumentError('It takes a number above 0.');
  return number;
}

function port(value: string): number {
  const number = whole(value);
  if (number > 65535) throw new InvalidArgumentError('It takes a port, 0 to 65535.');
  return number;
}
