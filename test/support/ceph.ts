import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';
import { AwsClient } from 'aws4fetch';
import { freePort } from './free-port.ts';

/** A real object store that speaks S3: Ceph's gateway over one monitor and one store in memory, on loopback. */

export interface Ceph {
  endpoint: string;
  bucket: string;
  env: Record<string, string>;
  close(): void;
}

/** The reason why there is none on this machine, or null. */
export function cephMissing(): string | null {
  const found = ['radosgw', 'ceph-mon', 'ceph-osd'].every((name) => existsSync(`/usr/bin/${name}`));
  if (found && process.getuid?.() === 0) return null;
  return found ? 'it runs as root only' : 'apt-get install radosgw ceph-mon ceph-osd ceph-mgr ceph-common';
}

/** @throws Error after all its processes have ended and its folder is removed */
export async function openCeph(): Promise<Ceph> {
  const dir = mkdtempSync(join(tmpdir(), 'appreg-ceph-'));
  const close = (): void => {
    for (const file of existsSync(join(dir, 'run')) ? readdirSync(join(dir, 'run')) : [])
      if (file.endsWith('.pid')) kill(Number(readFileSync(join(dir, 'run', file), 'utf8')));
    rmSync(dir, { recursive: true, force: true });
  };
  try {
    return { ...(await startCeph(dir)), close };
  } catch (error) {
    close();
    throw error;
  }
}

/** The process may have ended by itself. */
function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

async function startCeph(dir: string): Promise<Omit<Ceph, 'close'>> {
  const [monitor, gateway] = [await freePort(), await freePort()];
  for (const name of ['mon', 'osd', 'rgw', 'run']) mkdirSync(join(dir, name));
  const conf = join(dir, 'ceph.conf');
  const [fsid, osd] = [randomUUID(), randomUUID()];
  writeFileSync(conf, configuration(dir, fsid, monitor, gateway));
  const keyring = join(dir, 'keyring');
  await run('ceph-authtool', '--create-keyring', keyring, '--gen-key', '-n', 'mon.', '--cap', 'mon', 'allow *');
  await run(
    'ceph-authtool',
    keyring,
    '--gen-key',
    '-n',
    'client.admin',
    '--cap',
    'mon',
    'allow *',
    '--cap',
    'osd',
    'allow *',
  );
  await run('monmaptool', '--create', '--fsid', fsid, '--addv', 'a', `[v1:127.0.0.1:${monitor}]`, join(dir, 'monmap'));
  await run('ceph-mon', '-c', conf, '--mkfs', '-i', 'a', '--monmap', join(dir, 'monmap'), '--keyring', keyring);
  await run('ceph-mon', '-c', conf, '-i', 'a', '--setuser', 'root');
  await run('ceph', '-c', conf, 'osd', 'new', osd, '0');
  await run('ceph-osd', '-c', conf, '-i', '0', '--mkfs', '--osd-uuid', osd);
  await run('ceph', '-c', conf, 'osd', 'crush', 'add-bucket', 'h', 'host');
  await run('ceph', '-c', conf, 'osd', 'crush', 'move', 'h', 'root=default');
  await run('ceph', '-c', conf, 'osd', 'crush', 'add', 'osd.0', '1.0', 'host=h');
  await run('ceph-osd', '-c', conf, '-i', '0');
  await run('radosgw', '-c', conf, '-n', 'client.rgw');
  const endpoint = `http://127.0.0.1:${gateway}`;
  for (let tries = 0; !(await isUp(endpoint)); tries += 1) {
    if (tries === 300) throw new Error('the gateway did not come up');
    await sleep(100);
  }
  const [access, secret] = ['test', 'testtest'];
  const user = ['--uid=test', '--display-name=test', `--access-key=${access}`, `--secret-key=${secret}`];
  await run('radosgw-admin', '-c', conf, '-n', 'client.rgw', 'user', 'create', ...user);
  const client = new AwsClient({ accessKeyId: access, secretAccessKey: secret, service: 's3', region: 'us-east-1' });
  const bucket = 'registry';
  const policy = {
    Version: '2012-10-17',
    Statement: [{ Effect: 'Allow', Principal: '*', Action: ['s3:GetObject'], Resource: [`arn:aws:s3:::${bucket}/*`] }],
  };
  for (const [query, body] of [
    ['', ''],
    ['?policy', JSON.stringify(policy)],
  ] as const) {
    const made = await client.fetch(`${endpoint}/${bucket}${query}`, { method: 'PUT', body });
    if (!made.ok) throw new Error(await made.text());
  }
  return {
    endpoint,
    bucket,
    env: { AWS_ACCESS_KEY_ID: access, AWS_SECRET_ACCESS_KEY: secret },
  };
}

async function run(program: string, ...args: string[]): Promise<void> {
  // A monitor that has just started refuses a command now and then.
  for (let tries = 1; ; tries += 1) {
    const done = await promisify(execFile)(program, args, { timeout: 60_000 }).catch((error: Error) => error);
    if (!(done instanceof Error)) return;
    if (program !== 'ceph' || tries === 10) throw done;
  }
}

async function isUp(endpoint: string): Promise<boolean> {
  return fetch(endpoint).then(
    () => true,
    () => false,
  );
}

/** Without the two `update on start` lines the store often fails to start. */
function configuration(dir: string, fsid: string, monitor: number, gateway: number): string {
  return `[global]
fsid = ${fsid}
mon host = v1:127.0.0.1:${monitor}
ms bind ipv4 = true
public addr = 127.0.0.1
cluster addr = 127.0.0.1
auth cluster required = none
auth service required = none
auth client required = none
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 1
osd pool default pgp num = 1
osd pool default pg autoscale mode = off
mon allow pool size one = true
osd crush chooseleaf type = 0
mon max pg per osd = 2000
osd objectstore = memstore
osd class update on start = false
osd crush update on start = false
memstore device bytes = 2147483648
run dir = ${dir}/run
admin socket = ${dir}/run/$name.$pid.asok
pid file = ${dir}/run/$name.pid
log file = ${dir}/run/$name.log
keyring = ${dir}/keyring
mon data avail warn = 1
mon data avail crit = 1
[mon.a]
mon data = ${dir}/mon
[osd.0]
osd data = ${dir}/osd
[client.rgw]
rgw frontends = beast endpoint=127.0.0.1:${gateway}
rgw data = ${dir}/rgw
rgw dns name = localhost
rgw enable usage log = false
rgw enable gc threads = false
rgw enable lc threads = false
`;
}
