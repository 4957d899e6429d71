import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const MODULE = join(__dirname, 'helm');
const PROGRAM = 'helm.sh/helm/v3/cmd/helm';

/** Result of a run of helm. */
export interface HelmRun {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The version that `go.mod` pins. */
function pinnedVersion(module: string): string {
  const text = readFileSync(join(MODULE, 'go.mod'), 'utf8');
  const line = text.split('\n').find((each) => each.trim().startsWith(`${module} `));
  if (line === undefined) throw new RangeError(`test/support/helm/go.mod requires no ${module}`);
  return line.trim().split(' ')[1] ?? '';
}

const helmVersion = (): string => pinnedVersion('helm.sh/helm/v3');

/** Linker flags that helm's own makefile sets: its version, and the Kubernetes that charts are checked against without a cluster. */
function linkerFlags(): string {
  const [, minor = ''] = pinnedVersion('k8s.io/client-go').split('.');
  const kubernetes = ['pkg/chartutil', 'pkg/lint/rules'].flatMap((package_) => [
    `-X helm.sh/helm/v3/${package_}.k8sVersionMajor=1`,
    `-X helm.sh/helm/v3/${package_}.k8sVersionMinor=${minor}`,
  ]);
  return ['-s -w', `-X helm.sh/helm/v3/internal/version.version=${helmVersion()}`, ...kubernetes].join(' ');
}

function goCommand(): string {
  const found = ['go', '/usr/local/go/bin/go'].find((go) => spawnSync(go, ['version']).status === 0);
  if (found !== undefined) return found;
  throw new RangeError(
    'the tests of the Helm chart build the helm CLI from Go modules, and there is no Go: install Go 1.26 or newer, or put a helm at ' +
      helmPath(),
  );
}

function helmPath(): string {
  const cache = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  return join(cache, 'cdk8s-ipam', `helm-${helmVersion()}`, 'helm');
}

/**
 * Finds the helm CLI, and builds it where nobody has yet. That takes two to eight minutes, once per machine and version.
 *
 * @returns path of the program
 */
export function helmBinary(): string {
  const path = helmPath();
  if (existsSync(path)) return path;
  const folder = join(path, '..');
  mkdirSync(folder, { recursive: true });
  // built beside its place and moved there, so that a second test run never starts half a program
  const workshop = mkdtempSync(join(folder, 'build-'));
  try {
    const built = join(workshop, 'helm');
    execFileSync(
      goCommand(),
      ['build', '-mod=readonly', '-trimpath', '-ldflags', linkerFlags(), '-o', built, PROGRAM],
      {
        cwd: MODULE,
        stdio: ['ignore', 'inherit', 'inherit'],
        env: { ...process.env, CGO_ENABLED: '0', GOFLAGS: '' },
      },
    );
    renameSync(built, path);
  } finally {
    rmSync(workshop, { recursive: true, force: true });
  }
  return path;
}

/** Runs helm without a cluster and without anything of the user's own settings. */
export function runHelm(words: readonly string[]): HelmRun {
  const { status, stdout, stderr } = spawnSync(helmBinary(), words, {
    encoding: 'utf8',
    maxBuffer: 1 << 26,
    env: { PATH: process.env['PATH'], HOME: '/nonexistent', KUBECONFIG: '/nonexistent' },
  });
  return { status, stdout, stderr };
}
