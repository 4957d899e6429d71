import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder } from '../components/recipes';

const run = promisify(execFile);
const ROOT = resolve(__dirname, '../../..');
/** What PyPI is asked for; another version has a folder of its own. */
const PACKAGES = ['grpcio==1.78.0', 'grpcio-tools==1.78.0'];
const FOLDER = `python-${PACKAGES.join('-').replaceAll('==', '-')}`;

/** Python with grpcio, made once; a text says why there is none. */
export async function pythonWithGrpc(): Promise<{ readonly python: string } | string> {
  const home = join(cacheFolder(), FOLDER);
  const python = join(home, 'bin', 'python');
  const done = join(home, 'complete');
  if (existsSync(done)) return { python };
  try {
    await rm(home, { recursive: true, force: true });
    await mkdir(cacheFolder(), { recursive: true });
    // scripts of a venv name its folder, so it is made in its place
    await run('python3', ['-m', 'venv', home]);
    await run(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...PACKAGES], {
      timeout: 600_000,
    });
    await writeFile(`${done}.new`, '');
    await rename(`${done}.new`, done);
    return { python };
  } catch (thrown) {
    return `no Python with grpcio: ${String((thrown as { stderr?: unknown }).stderr ?? thrown).slice(-500)}`;
  }
}

/** Makes the client out of alloc.proto, and runs it. */
export async function runPythonClient(
  python: string,
  { folder, args, token }: { readonly folder: string; readonly args: readonly string[]; readonly token: string },
): Promise<readonly unknown[]> {
  const protos = join(ROOT, 'operator/contract/networks/alloc');
  const made = ['-m', 'grpc_tools.protoc', `-I${protos}`, `--python_out=${folder}`, `--grpc_python_out=${folder}`];
  await run(python, [...made, 'alloc.proto']);
  const child = spawn(python, [join(ROOT, 'test/support/python/client.py'), ...args], {
    env: { ...process.env, PYTHONPATH: folder },
  });
  let [out, errors] = ['', ''];
  child.stdout.on('data', (data: Buffer) => (out += data.toString()));
  child.stderr.on('data', (data: Buffer) => (errors += data.toString()));
  child.stdin.end(token);
  const [code] = (await once(child, 'close')) as [number];
  if (code !== 0) throw new RangeError(`the client ended with ${String(code)}: ${errors.slice(-2000)}`);
  return out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
}
