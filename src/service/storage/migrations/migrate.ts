import { type Kysely, type Migration, Migrator } from 'kysely';
import { AppregError } from '../../../core/errors.ts';
import type { Database } from '../tables.ts';
import { registriesAndSubscriptions } from './001-registries-and-subscriptions.ts';
import { outcomeToken } from './002-outcome-token.ts';
import { iconFragment } from './003-icon-fragment.ts';
import { unchangedToken } from './004-unchanged-token.ts';
import { artifactChecks } from './005-artifact-checks.ts';
import { events } from './006-events.ts';
import { tokensAuditWebhooks } from './008-tokens-audit-webhooks.ts';

/** All migrations by name, in order, a file for each. A released migration never changes: add a new one. */
const MIGRATIONS: Record<string, Migration> = {
  '001-registries-and-subscriptions': registriesAndSubscriptions,
  '002-outcome-token': outcomeToken,
  '003-icon-fragment': iconFragment,
  '004-unchanged-token': unchangedToken,
  '005-artifact-checks': artifactChecks,
  '006-events': events,
  '008-tokens-audit-webhooks': tokensAuditWebhooks,
};

/**
 * Migrates the tables: forward only, each migration once. Nodes that start together wait for each other.
 * @throws AppregError `database-schema-newer` if a newer appreg has migrated the database
 */
export async function migrate(db: Kysely<Database>): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => MIGRATIONS } });
  const { error } = await migrator.migrateToLatest();
  if (error === undefined) return;
  if (error instanceof Error && error.message.includes('corrupted migrations'))
    throw new AppregError(
      'database-schema-newer',
      'The database was migrated by another version of appreg.',
      'Run the newest appreg that has used this database, or use another database.',
      { cause: error },
    );
  throw error;
}
