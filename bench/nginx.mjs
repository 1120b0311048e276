import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Serves `<folder>/www` with nginx on a free port, with a certificate of a new authority (`<folder>/root.pem`). */
export async function serve(folder) {
  writeCertificates(folder);
  const port = await freePort();
  mkdirSync(join(folder, 'www'));
  writeFileSync(join(folder, 'nginx.conf'), configuration(folder, port));
  const nginx = spawn('nginx', ['-p', folder, '-c', 'nginx.conf'], {
    stdio: 'inherit',
    env: { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` },
  });
  for (let attempt = 0; attempt < 500 && !(await isListening(port)); attempt++) await sleep(10);
  return {
    origin: `https://127.0.0.1:${port}`,
    stop: () => new Promise((resolve) => nginx.once('exit', resolve).kill('SIGTERM')),
  };
}

function writeCertificates(folder) {
  const openssl = (line) => execFileSync('openssl', line.split(' '), { cwd: folder, stdio: 'ignore' });
  const key = '-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 30';
  openssl(`req -x509 ${key} -keyout root.key -out root.pem -subj /CN=Benchmark`);
  openssl(`req ${key} -keyout leaf.key -out leaf.csr -subj /CN=127.0.0.1`);
  writeFileSync(join(folder, 'san'), 'subjectAltName=IP:127.0.0.1\n');
  openssl('x509 -req -in leaf.csr -CA root.pem -CAkey root.key -CAcreateserial -days 30 -extfile san -out leaf.pem');
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

function configuration(folder, port) {
  return `daemon off; worker_processes 1; pid ${folder}/pid; error_log ${folder}/error.log; ${process.getuid?.() === 0 ? 'user root;' : ''}
events { worker_connections 1024; }
http {
  access_log off; sendfile on; keepalive_requests 1000000;
  client_body_temp_path ${folder}/b; proxy_temp_path ${folder}/p; fastcgi_temp_path ${folder}/f; uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s;
  types { application/json json; image/svg+xml svg; application/gzip gz; }
  server {
    listen 127.0.0.1:${port} ssl; root ${folder}/www;
    ssl_certificate ${folder}/leaf.pem; ssl_certificate_key ${folder}/leaf.key;
    add_header Access-Control-Allow-Origin * always; add_header Access-Control-Allow-Headers * always; add_header Cache-Control "public, max-age=300";
    if ($request_method = OPTIONS) { return 204; }
  }
}
`;
}

function isListening(port) {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });
}
