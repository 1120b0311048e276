import { type Command, InvalidArgumentError, Option } from 'commander';
import { VERSION } from '../core/tool-version.ts';
import type { Context, GlobalOptions } from './context.ts';
import { AskingCommand } from './io/missing-arguments.ts';
import { columns, toStderr, toStdout } from './io/streams.ts';

/** Implements a command: receives the context, then arguments and options; resolves to the exit code. */
export type Action = (context: Context, ...rest: any[]) => Promise<number>;

/** Runs the command that `load` imports, with its arguments. */
type Run = (load: () => Promise<Action>, options: GlobalOptions, args: readonly unknown[]) => Promise<void>;

/**
 * The program with all its commands.
 * @param run called with the requested command
 * @param words of the command line: commands that none of them names are created without options, which take longer to
 * create than Node takes to load all this; null for all of them
 */
export function build(run: Run, words: readonly string[] | null): Command {
  const program = new AskingCommand('appreg')
    .description('Author, lint, publish and verify app registries.')
    .version(VERSION)
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({
      writeOut: toStdout,
      writeErr: toStderr,
      getOutHelpWidth: () => columns(1),
      getErrHelpWidth: () => columns(2),
      // The output has no colours.
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    // The default term, independent of whether a command has its options.
    .configureHelp({ subcommandTerm: (one) => `${one.name()} ${one.usage()}` })
    .showHelpAfterError('(appreg --help lists the commands)')
    .addHelpText('after', '\nStart with: appreg init my-registry --base-url https://apps.example.com/');
  withGlobals(program);

  /** One block per command: name, arguments, a lazily loaded module, and options. */
  function command(
    usage: string,
    description: string,
    load: () => Promise<Action>,
    options: (made: Command) => void = () => {},
  ): void {
    const made = program.command(usage).description(description).exitOverride();
    made.showHelpAfterError(`(appreg ${made.name()} --help tells what it takes)`);
    made.action((...args: unknown[]) => {
      const self = args.pop() as Command;
      const given = self.optsWithGlobals<GlobalOptions>();
      // The program's own default would override an option after the command's name.
      if (self.opts<GlobalOptions>().color === false) given.color = false;
      args.pop();
      return run(load, given, args);
    });
    if (words !== null && !words.includes(made.name())) return;
    withGlobals(made);
    options(made);
  }

  command(
    'init [dir]',
    'scaffold a registry workspace',
    async () => (await import('./commands/init.ts')).init,
    (made) =>
      made
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
        .option('--ci <system>', 'write a CI workflow: github, gitlab or none'),
  );

  command(
    'add-app <key>',
    'add an app to the manifest, with its metadata file',
    async () => (await import('./commands/add-app.ts')).addApp,
    (made) =>
      made
        .option('--name <name>', 'display name')
        .option('--description <text>', 'what the app does, in a sentence')
        .option('--icon <file|url>', 'PNG or SVG; a file is checked and copied')
        .addOption(blockColor())
        .option('--metadata-url <url>', 'where its metadata file is kept, if not in this workspace')
        .option('--dry-run', 'check everything and show the plan; write nothing'),
  );

  command(
    'assemble',
    'make the manifest from apps/<key>/app.json, one small file for each app',
    async () => (await import('./commands/assemble.ts')).assembleManifest,
    (made) =>
      made
        .option('--remove <key>', 'let this app leave the manifest; repeatable', collect)
        .option('--check', 'look at the folders alone, not at what is published; write nothing')
        .option(
          '--against <dir|git-ref|file|url>',
          'with --check: refuse a folder that is gone, though its app is listed there',
        )
        .option('--dry-run', 'make every read and check, show the plan; write nothing'),
  );

  command(
    'bundle <entry> <output>',
    'build an entry point, or pack a folder, into a reproducible .tar.gz',
    async () => (await import('./commands/bundle.ts')).bundle,
    (made) =>
      made
        .option('--ui <entry>', 'a second entry point, built to ui.js')
        .option('--external <name>', 'leave a package out of the bundle; repeatable', collect)
        .option('--include <glob>', 'add files beside the code; repeatable', collect)
        .option('--target <target>', 'what the code will run on (default: node22)')
        .option('--minify', 'make the code smaller')
        .option('--sourcemap', 'write the source map into the code')
        .option('--any-content', 'pack a folder that has no app.js at its top as well'),
  );

  command(
    'checksum <file|url...>',
    'print sha256:HEX as the metadata wants it',
    async () => (await import('./commands/checksum.ts')).checksum,
  );

  command(
    'publish-version <app> <version>',
    'publish a version (or: major, minor, patch) of an app',
    async () => (await import('./commands/publish-version.ts')).publishVersion,
    (made) =>
      made
        .option('--artifact <file>', 'a .tar.gz that is already built')
        .option('--entry <file>', 'build this entry point first')
        .option('--ui <file>', 'with --entry: a second entry point, built to ui.js')
        .option('--artifact-url <url>', 'an artifact that is already served elsewhere')
        .option('--any-content', 'publish an archive that has no app.js at its top as well')
        .option('--allow-prerelease', 'allow a version with a pre-release or build part')
        .option('--dry-run', 'make every read and check, show the plan; write nothing')
        .option('--no-read-back', 'do not fetch the artifact through its public URL before listing it')
        .option('--read-back-timeout <s>', 'seconds until that URL must serve it (default: s3 30, git 600)', positive),
  );

  command(
    'lint [path...]',
    'check files without the network',
    async () => (await import('./commands/lint.ts')).lint,
    (made) =>
      made
        .option('--against <dir|git-ref|file|url>', 'also check what may never change')
        .option('--fix', 'fix what can be fixed automatically'),
  );

  command(
    'verify <registry-url>',
    'check a live registry',
    async () => (await import('./commands/verify.ts')).verify,
    (made) =>
      withLook(
        made
          .option('--versions <which>', 'latest, all or a semver range (default: all)')
          .option('--save <facts.json>', 'save what was seen, to be judged again')
          .option('--cache <dir>', 'ask only for what may have changed since the last run with this folder')
          .option(
            '--wait <duration>',
            'look again, for so long, until all is listed and verified; such as 30s, 10m, 1h',
          )
          .option('--shard <i/n>', 'look at one of n parts of the apps; judge puts their saved facts together'),
      ),
  );

  command(
    'diagnose <url|facts.json>',
    'check a live registry, told by symptom, for a support ticket',
    async () => (await import('./commands/diagnose.ts')).diagnose,
    (made) =>
      withLook(
        made
          .option('--version <version>', 'with --app: why is this version not there?')
          .option('--bundle <file>', 'write facts and report to a file for the ticket, without secrets'),
      ),
  );

  command(
    'lock [where]',
    'note in appreg.lock.json what is published, so that a change is found',
    async () => (await import('./commands/lock.ts')).lock,
    (made) =>
      made
        .option('--header <header>', "send 'Name: value' to a live registry's origin; repeatable", collect)
        .option(
          '--header-env <name=ENVVAR>',
          'the same, with the value taken from the environment; repeatable',
          collect,
        )
        .option('--ca <file>', 'trust this certificate authority as well (PEM)'),
  );

  command(
    'mirror <registry-url> <dir>',
    'copy a registry, verified, with its URLs rewritten; resumable',
    async () => (await import('./commands/mirror.ts')).mirrorRegistry,
    (made) =>
      made
        .option('--base-url <url>', 'the address that the copy will be served at')
        .option('--app <key>', 'only this app; repeatable', collect)
        .option('--versions <which>', 'latest, all or a semver range (default: all)')
        .option('--prune', 'drop what the source lists no more')
        .option('--header <header>', "send 'Name: value' to the registry's origin; repeatable", collect)
        .option(
          '--header-env <name=ENVVAR>',
          'the same, with the value taken from the environment; repeatable',
          collect,
        )
        .option('--concurrency <n>', 'requests under way at once per host (default: 32)', positive)
        .option('--ca <file>', 'trust this certificate authority as well (PEM)'),
  );

  command(
    'diff <before> [after]',
    'show what subscribers would see change between two states',
    async () => (await import('./commands/diff.ts')).diff,
    (made) =>
      made
        .option('--header <header>', "send 'Name: value' to a live registry's origin; repeatable", collect)
        .option(
          '--header-env <name=ENVVAR>',
          'the same, with the value taken from the environment; repeatable',
          collect,
        )
        .option('--ca <file>', 'trust this certificate authority as well (PEM)'),
  );

  command(
    'judge <facts.json...>',
    'judge saved facts again; those of several shards together',
    async () => (await import('./commands/judge.ts')).judge,
  );

  command(
    'subscribe <registry-url>',
    'subscribe an organization of the service to a registry',
    async () => (await import('./commands/subscribe.ts')).subscribeTo,
    (made) =>
      made
        .option('--service <base_url>', "the service's address")
        .option('--name <name>', 'what the registry is called in the organization')
        .option('--token-env <ENVVAR>', 'send the token in this environment variable (Authorization: Bearer)')
        .option('--header <header>', "send 'Name: value' to the service; repeatable", collect)
        .option(
          '--header-env <name=ENVVAR>',
          'the same, with the value taken from the environment; repeatable',
          collect,
        )
        .option('--ca <file>', 'trust this certificate authority as well (PEM)')
        .option('--timeout <s>', 'seconds to wait for the answer (default: 60)', positive),
  );

  command(
    'serve [dir]',
    'serve a workspace as a registry host should',
    async () => (await import('./commands/serve.ts')).serve,
    (made) =>
      made
        .option('--port <n>', 'port to listen on; 0 picks a free one (default: 8080)', port)
        .option('--host <address>', 'address to listen on (default: 127.0.0.1)')
        .option('--https', 'serve over HTTPS with a local certificate authority')
        .option('--no-rewrite', "leave the workspace's base URL as it is"),
  );

  command(
    'service',
    'run the subscriber service',
    async () => (await import('./commands/service.ts')).service,
    (made) =>
      made
        .option('--port <n>', 'port to listen on; 0 picks a free one (default: PORT, or 8090)', port)
        .option('--host <address>', 'address to listen on (default: HOST, or 127.0.0.1)')
        .option('--data <folder>', 'where its own PostgreSQL keeps the database, without DATABASE_URL')
        .option('--role <web|worker>', 'do this work alone; repeatable (default: both)', collect)
        .option('--allow-host <host>', 'ask this host although its addresses are private; repeatable', collect)
        .option('--allow-http', 'take registries without TLS from any host')
        .option('--open-sign-up', 'let anybody who reaches it make an organization')
        .option('--ca <file>', 'trust this certificate authority as well (PEM)')
        .option('--interval <s>', 'seconds between two checks of a registry (default: 3600)', positive)
        .option('--concurrency <n>', 'registries checked at once (default: 8)', positive),
  );

  command(
    'completion <shell>',
    'print a script that completes at Tab (bash, zsh or fish)',
    async () => (await import('./commands/completion.ts')).completion,
    (made) =>
      made.addHelpText(
        'after',
        `
Once, for all of your shells to come:
  bash  echo 'eval "$(appreg completion bash)"' >> ~/.bashrc
  zsh   echo 'eval "$(appreg completion zsh)"' >> ~/.zshrc    (behind the line with compinit)
  fish  appreg completion fish > ~/.config/fish/completions/appreg.fish`,
      ),
  );
  return program;
}

/** The options of commands that observe a live registry. */
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

/** An app's `--color` is not the opposite of `--no-color`, so it has another attribute name. */
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
