export { secretSetting, secretsKeys } from './config/secret-setting.ts';
export {
  artifactSettings,
  DEFAULT_LIMITS,
  invalidSetting,
  isLocalListenAddress,
  type Settings,
  trustedProxies,
} from './config/settings.ts';
export { backUp } from './db/backup/back-up.ts';
export { restore } from './db/backup/restore.ts';
export { openLog } from './log.ts';
export { startService } from './start.ts';
