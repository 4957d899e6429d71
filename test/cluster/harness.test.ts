import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync, mkdirSync } from 'node:fs';
import { networkInterfaces, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { freePorts, lockPort } from '../support/free-ports';
import { failurePath } from './components/recipes';
import { binaryPath, waitForBinaries } from './support/binaries';
import { startControlPlane } from './support/control-plane';
import { eventually } from './support/eventually';
import { operatorBundle } from './support/operator-bundle';
import { startProgram } from './support/own-process';
import { useControlPlane } from './support/use-control-plane';

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'harness-'));
const before = { ...process.env };

afterEach(() => {
  process.env = { ...before };
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe('a program of the tests', () => {
  test('dies with the process that started it, even when that one is killed', async () => {
    const starter = `require(${JSON.stringify(join(__dirname, 'support/own-process.ts'))})
      .startProgram({ program: 'sleep', args: ['600'], logFile: '/dev/null' })
      .then(({ pid }) => { console.log(pid); setInterval(() => undefined, 1000); })`;
    const parent = spawn(process.execPath, ['--import', 'tsx', '-e', starter], { stdio: ['ignore', 'pipe', 'ignore'] });
    try {
      const [line] = (await once(parent.stdout, 'data')) as [Buffer];
      const comm = `/proc/${Number(line.toString())}/comm`;
      await eventually(() => readFileSync(comm, 'utf8').trim() === 'sleep');
      parent.kill('SIGKILL');

      expect(await eventually(() => !existsSync(comm))).toBe(true);
    } finally {
      parent.kill('SIGKILL');
    }
  });

  test('tells what it printed when it has ended too early', async () => {
    const logFile = join(folder, 'early.log');
    const program = await startProgram({ program: 'sh', args: ['-c', 'echo no luck; exit 3'], logFile });

    expect(await program.ended).toBe(3);
    expect(() => {
      program.expectRunning();
    }).toThrow(/has ended:\nno luck/);
  });

  test('is killed where it does not end in time', async () => {
    const args = ['-c', 'trap "" TERM; echo ready; while :; do sleep 1; done'];
    const program = await startProgram({ program: 'sh', args, logFile: join(folder, 'stubborn.log') });
    await eventually(() => program.log().includes('ready'));
    await program.stop(100);

    expect(await program.ended).toBe('SIGKILL');
  });
});

describe('the bundle of the operator', () => {
  test('is made once, and found again by whoever has the same sources', async () => {
    const ours = await operatorBundle();
    const asked = `require(${JSON.stringify(join(__dirname, 'support/operator-bundle.ts'))})
      .operatorBundle().then((program) => console.log(program))`;
    const madeMs = statSync(ours).mtimeMs;
    const { stdout } = await run(process.execPath, ['--import', 'tsx', '-e', asked]);

    expect(stdout.trim()).toBe(ours);
    expect(statSync(ours).mtimeMs).toBe(madeMs);
  });
});

describe('a binary', () => {
  test('that is missing while nobody builds it fails with its name and place', async () => {
    process.env['XDG_CACHE_HOME'] = folder;

    await expect(waitForBinaries(['etcd'])).rejects.toThrow(/^etcd is not at \S+\/etcd: no build of it runs$/);
  });

  test('whose build has failed fails with what the build said', async () => {
    process.env['XDG_CACHE_HOME'] = folder;
    mkdirSync(dirname(failurePath('etcd')), { recursive: true });
    writeFileSync(failurePath('etcd'), 'no space left on device');

    await expect(waitForBinaries(['etcd'])).rejects.toThrow('no space left on device');
  });

  test('is that of KUBEBUILDER_ASSETS where the folder has such a program', () => {
    process.env['KUBEBUILDER_ASSETS'] = '/opt/envtest';

    expect(binaryPath('kube-apiserver')).toBe('/opt/envtest/kube-apiserver');
    expect(binaryPath('metallb-controller')).not.toContain('/opt/envtest');
  });

  test('is built by a script that says so when there is no Go', async () => {
    const build = [
      join(__dirname, '../../node_modules/tsx/dist/cli.mjs'),
      join(__dirname, 'components/build.ts'),
      'etcd',
    ];
    const env = { ...process.env, PATH: '/usr/bin:/bin', XDG_CACHE_HOME: folder, IPAM_TEST_GO: '/nonexistent/go' };

    await expect(run(process.execPath, build, { env })).rejects.toThrow('there is no Go');
  });
});

describe('freePorts', () => {
  test('never names one port twice', async () => {
    const ports = await freePorts(50);

    expect(new Set(ports).size).toBe(50);
  });

  test('names none that the system may lend to an outgoing connection before the program has started', async () => {
    const [lent = 0] = readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').split(/\s+/).map(Number);

    expect(Math.max(...(await freePorts(5)))).toBeLessThan(lent);
  });

  test('passes over a port that it has named, though nobody listens on it yet', async () => {
    const [port = 0] = await freePorts(1);

    expect(await lockPort(port)).toBe(false);
  });
});

describe('a control plane with one family and an audit log', () => {
  const plane = useControlPlane({ families: 'v4', audit: true });

  test('knows no Services of two families', async () => {
    const service = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'both' },
      spec: { ipFamilyPolicy: 'RequireDualStack', ports: [{ port: 80 }] },
    };

    await expect(plane().client.apply([service])).rejects.toThrow('not configured for dual-stack');
  });

  test('writes down who did what', async () => {
    const { client, auditFile } = plane();
    await client.request('GET', '/api/v1/namespaces/default');
    const line = await eventually(() =>
      readFileSync(auditFile, 'utf8')
        .split('\n')
        .find(
          (each) => each.includes('"requestURI":"/api/v1/namespaces/default"') && each.includes('"username":"admin"'),
        ),
    );

    expect(JSON.parse(line)).toMatchObject({ verb: 'get', level: 'Metadata', responseStatus: { code: 200 } });
  });

  test('FU-94 lets kubectl write below its own folder alone', async () => {
    const { kubectl, folder: own } = plane();
    expect(await kubectl('get', 'namespaces', '-o', 'name')).toContain('namespace/default');
    expect(existsSync(join(own, '.kube', 'cache'))).toBe(true);
  });

  test('has an address of this machine that an EndpointSlice may name', () => {
    const { reachable } = plane();
    const addresses = Object.values(networkInterfaces()).flatMap((each) => each?.map(({ address }) => address) ?? []);

    expect(addresses).toContain(reachable);
    expect(reachable).not.toMatch(/^127\./);
  });
});

describe('a cluster that the user gives', () => {
  const own = useControlPlane();
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'left' } };

  test('is used as it is, and left as it was found', async () => {
    process.env['IPAM_TEST_KUBECONFIG'] = own().kubeconfig;
    const given = await startControlPlane();
    await given.client.apply([namespace]);
    expect(given.url).toBe(own().url);
    await given.stop();

    expect((await own().client.attempt('GET', '/api/v1/namespaces/left')).status).toBe(404);
  });

  test('fails a test that needs what it lacks', async () => {
    process.env['IPAM_TEST_KUBECONFIG'] = own().kubeconfig;

    await expect(startControlPlane({ families: 'v4' })).rejects.toThrow('Services of IPv4 only');
    await expect(startControlPlane({ audit: true })).rejects.toThrow('audit log');
  });
});
