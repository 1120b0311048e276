import { AppregError } from '../../core/errors/error.ts';
import { message } from '../../core/text/message.ts';
import { VERSION } from '../../core/values/tool-version.ts';

/** The packages that bring commands of their own. */
export type CommandPackage = 'appreg-service' | 'appreg-conformance';

/**
 * Waits for the module of a command, which imports from a package that may not be installed.
 * @throws AppregError `package-missing` with the command that installs it
 */
export async function fromPackage<Module>(name: CommandPackage, module: Promise<Module>): Promise<Module> {
  try {
    return await module;
  } catch (error) {
    if (!isMissing(error, name)) throw error;
    throw new AppregError(
      'package-missing',
      message`This command is part of the package ${name}, which is not installed.`,
      message`Install both together: npm install --global appreg@${VERSION} ${name}@${VERSION}. Where appreg is a dependency, add ${name}@${VERSION} beside it.`,
    );
  }
}

const NOT_FOUND = ['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND'];

/** True for the package itself, false for a package that it needs. Yarn's Plug'n'Play has a message of its own. */
function isMissing(error: unknown, name: CommandPackage): boolean {
  if (!(error instanceof Error && 'code' in error && NOT_FOUND.includes(String(error.code)))) return false;
  return error.message.includes(`'${name}'`) || error.message.includes(`tried to access ${name} `);
}
