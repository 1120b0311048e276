/**
 * The subscriber service of app registries (spec 2.4, 3, 4, 9): the door of the package `appreg-service`, which the
 * commands `appreg service`, `service backup` and `service restore` use.
 */

// Logs as lines of JSON.
export { openLog, type Log } from './log.ts';

// Settings, from options and variables of the environment.
export { resolveSettings, type ServiceFlags } from './config/resolve-settings.ts';
export { isLocalListenAddress, type Settings } from './config/settings.ts';

// Runs one node of the service.
export { type RunningService, startService } from './start.ts';

// The whole database in one file, and back.
export { backUp } from './db/backup/back-up.ts';
export { restore } from './db/backup/restore.ts';
