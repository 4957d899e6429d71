import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { declaredApi, LEAKS } from './declared-api';

const root = resolve(__dirname, '../../..');
const ENTRY = 'constructs/index.ts';

/** Findings of jsii about a public entry. */
export interface JsiiReport {
  /** Everything that no other language could use; empty when it is clean. */
  readonly problems: readonly string[];
  /** Names of the types of the assembly; empty when there are problems. */
  readonly types: readonly string[];
}

interface Manifest {
  readonly version: string;
  readonly license: string;
  readonly description: string;
  readonly peerDependencies: Readonly<Record<string, string>>;
}

// What jsii wants to know of a package, beside what ours says.
function packageOfCopy(entry: string): object {
  const { version, license, description, peerDependencies } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  ) as Manifest;
  // a split-off package of the constructs would know nothing of Pulumi, which is no jsii module
  const peers = Object.entries(peerDependencies).filter(([name]) => !name.startsWith('@pulumi/'));
  return {
    name: 'cdk8s-ipam',
    version,
    license,
    description,
    peerDependencies: Object.fromEntries(peers),
    author: { name: 'cdk8s-ipam', email: 'nobody@example.com' },
    repository: { type: 'git', url: 'https://example.com/cdk8s-ipam.git' },
    main: entry.replace(/ts$/, 'js'),
    types: entry.replace(/ts$/, 'd.ts'),
    stability: 'experimental',
    jsii: { outdir: 'dist', targets: {} },
  };
}

/** Runs jsii over the declarations of a public entry, in a folder of its own: it writes files beside its sources. */
export function lintByJsii(entry: string = ENTRY): JsiiReport {
  const folder = mkdtempSync(join(tmpdir(), 'jsii-'));
  try {
    for (const [name, text] of declaredApi(entry)) {
      mkdirSync(join(folder, dirname(name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
    writeFileSync(join(folder, 'package.json'), JSON.stringify(packageOfCopy(entry)));
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    const words = [require.resolve('jsii/bin/jsii'), '--silence-warnings=reserved-word'];
    const { status, stdout, stderr } = spawnSync(process.execPath, words, { cwd: folder, encoding: 'utf8' });
    // some problems have a place and some have none
    const problems = `${stdout}\n${stderr}`.split('\n').filter((line) => /\berror (JSII|TS)\d+:/.test(line));
    if (problems.length > 0) return { problems, types: [] };
    if (status !== 0) return { problems: [`jsii ended with ${String(status)}: ${stdout}${stderr}`], types: [] };
    const { types } = JSON.parse(readFileSync(join(folder, '.jsii'), 'utf8')) as { types: object };
    return { problems, types: Object.keys(types).map((name) => name.replace(/^.*\./, '')) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function main(): void {
  const { problems, types } = lintByJsii();
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
  else console.log(`jsii takes ${String(types.length)} types; opaque are ${Object.keys(LEAKS).join(', ')}`);
}

if (require.main === module) main();
