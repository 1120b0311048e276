import type { ErrorTable } from './entry.ts';

/** Errors of files and stores. */
export const STORE_ERRORS = {
  'disk-full': {
    title: 'The disk is full, or the quota is used up.',
    fix: 'Free some space, then run the command again.',
  },
  'file-too-large': {
    title: 'The file is larger than the system allows.',
    fix: 'Raise the limit (ulimit -f), or use another disk.',
  },
  'read-only': {
    title: 'The file or the file system is read-only.',
    fix: 'Make it writable.',
  },
  'permission-denied': {
    title: 'The system denies access to the file.',
    fix: 'Check the permissions and the owner of the file and its folder.',
  },
  'too-many-open-files': {
    title: 'The limit of open files is reached.',
    fix: 'Raise the limit (ulimit -n), or close other programs.',
  },
  'machine-limit': {
    title: 'This machine has no memory, ports or network for what was to be done.',
    fix: 'Follow the advice of the message, and run the command again.',
  },
  'name-too-long': {
    title: 'The name is too long for this disk.',
    fix: 'Choose a shorter name.',
  },
  'not-a-folder': {
    title: 'A path, or a part of it, is not a folder.',
    fix: 'Choose another path, or move the file.',
  },
  'not-a-file': {
    title: 'A path is not a regular file.',
    fix: 'Specify a file.',
  },
  'folder-missing': {
    title: 'The folder of the file does not exist.',
    fix: 'Create the folder.',
  },
  'link-loop': {
    title: 'The symbolic links of a path form a loop.',
    fix: 'Remove or correct the links.',
  },
  'dangling-link': {
    title: 'A path is a symbolic link to a file that does not exist.',
    fix: 'Remove the link, or create its target.',
  },
  'file-busy': {
    title: 'Another program has the file open.',
    fix: 'Close that program, then run the command again.',
  },
  'io-error': {
    title: 'The system reports an unexpected error for a file.',
    fix: 'Check the disk.',
  },
  'file-unreadable': {
    title: 'A file cannot be read.',
    fix: 'Check the path and its permissions.',
  },
  'checksum-incomplete': {
    title: 'Some of the files or URLs of appreg checksum could not be read; the others have their checksum.',
    fix: 'Correct those that the message names, and run the command again for them.',
  },
  'file-changed': {
    title: 'A file changed while it was checked.',
    fix: 'Run the command again.',
  },
  'path-refused': {
    title: 'A path leads out of the store, or would mean different files on different systems.',
    fix: 'Use a relative path with forward slashes, as the folder lists it.',
  },
  'store-locked': {
    title: 'Another process is writing to the folder.',
    fix: 'Wait until it finishes, then run the command again.',
  },
  'lock-lost': {
    title: 'The lock of the folder was removed during the write.',
    fix: 'Run the command again.',
  },
  'write-conflict': {
    title: 'Other publishers changed the same document each time it was edited.',
    fix: 'Run the command again later.',
  },
  'write-lost': {
    title: 'The store reported a successful write, but still returns the previous content.',
    fix: 'Check for a cache or replica in front of the store.',
  },
  'write-corrupted': {
    title: 'The store reported a successful write, but returns different content.',
    fix: 'Check for a proxy or cache in front of the store.',
  },
  'store-stale': {
    title: 'The responses of the store contradict each other. It probably returns an old copy.',
    fix: 'Check for a cache or replica in front of the store.',
  },
  'conditional-writes-unsupported': {
    title: 'The store does not honor conditional writes, so concurrent publishers could overwrite each other.',
    fix: 'Use another store, or set "unconditional": true if there is only one publisher at a time.',
  },
  'temporary-folder-unusable': {
    title: 'A temporary folder cannot be created.',
    fix: 'Set TMPDIR to a writable folder.',
  },
  'proxy-unsupported': {
    title: 'The proxy set in the environment cannot be used for the store.',
    fix: 'Use an http:// proxy, or exempt the store with NO_PROXY.',
  },
  'git-remote-unknown': {
    title: 'The repository does not have the configured git remote.',
    fix: 'Set "remote" of the store to the name or URL of a remote.',
  },
  'git-unreachable': {
    title: 'The git remote cannot be reached, or the connection failed during a push.',
    fix: 'Check that git ls-remote works, then run the command again.',
  },
  'git-push-rejected': {
    title: 'The git remote rejects the push.',
    fix: 'Check the permissions of the user or token, and the protection of the branch.',
  },
  's3-credentials': {
    title: 'Credentials for the S3 store are missing or cannot be obtained.',
    fix: 'Set the AWS_ variables, a profile or a role.',
  },
  's3-endpoint-invalid': {
    title: 'The endpoint of the S3 store is not a usable URL.',
    fix: 'Write it as https://host[:port].',
  },
  's3-unreachable': {
    title: 'The S3 store cannot be reached, or fails repeatedly.',
    fix: 'Check the network, and "endpoint" and "region" of the store, then run the command again.',
  },
  's3-not-implemented': {
    title: 'The S3 store does not implement a request.',
    fix: 'Use another store.',
  },
  's3-refused': {
    title: 'The S3 store refuses a request.',
    fix: 'Check the bucket, the region and the permissions of the credentials.',
  },
} as const satisfies ErrorTable;
