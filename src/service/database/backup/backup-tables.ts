import type { Database } from '../tables.ts';

/**
 * The tables whose rows are backed up: all of them. pg-boss's own tables are not part of a backup: a job only says that
 * a row is due, and is created again from the row.
 */
const TABLES: Record<keyof Database, true> = {
  organizations: true,
  tokens: true,
  sessions: true,
  auditEntries: true,
  webhooks: true,
  webhookDeliveries: true,
  registries: true,
  registryCredentials: true,
  subscriptions: true,
  apps: true,
  versions: true,
  icons: true,
  events: true,
  artifacts: true,
  keptArtifacts: true,
};

/** Their names in the database. */
export const BACKUP_TABLES: readonly string[] = Object.keys(TABLES).map((name) =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
);
