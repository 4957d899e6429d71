/**
 * `npm run demo`: the main job without a cluster. Synthesizes the smallest example, starts the bundled operator in standalone
 * mode on a SQLite file, sends it the example's Services as AdmissionReviews over HTTPS, prints a table and ends with 0.
 * `npm run demo -- --cluster` does it on a real API server. With `--keep` all is left running until Ctrl-C.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { demoOnCluster } from './on-cluster';
import { bundleOperator, startOperator, synthesize } from './processes';
import { ReviewClient } from './review-client';
import { servicesOf, zonesDocumentOf } from './synthesized';
import { table } from './table';

const root = resolve(__dirname, '../..');

const HELP = `npm run demo -- [--cluster] [--keep]

  without      the operator in standalone mode, asked over HTTPS
  --cluster    on a real API server, beside MetalLB and cert-manager; the first run builds them, for up to an hour
  --keep       leave everything running until Ctrl-C`;

async function main(words: readonly string[]): Promise<void> {
  if (words.includes('--help')) {
    console.log(HELP);
    return;
  }
  const unknown = words.filter((word) => word !== '--keep' && word !== '--cluster');
  if (unknown.length > 0) throw new RangeError(`npm run demo takes --cluster and --keep, not ${unknown.join(' ')}`);
  if (words.includes('--cluster')) {
    await demoOnCluster({ root, keep: words.includes('--keep') });
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), 'ipam-demo-'));
  console.log('1. cdk8s synth: examples/cdk8s/smallest/main.ts');
  const [manifests] = await Promise.all([synthesize(root), bundleOperator(root)]);

  console.log('2. operator, standalone, with the embedded IPAM-API on SQLite');
  const operator = await startOperator({ root, folder, zones: zonesDocumentOf(manifests) });

  console.log('3. the Services of the example as AdmissionReviews over HTTPS\n');
  const client = new ReviewClient(operator);
  const rows: string[][] = [];
  for (const service of servicesOf(manifests)) rows.push(...(await client.admit(service)));
  client.close();
  console.log(table(['Service', 'zone', 'family', 'address', 'ms'], rows));
  console.log(
    `\nYAML:   ${manifests
      .map(({ file }) => relative(root, file))
      .filter(unique)
      .join(', ')}`,
  );
  if (!words.includes('--keep')) {
    await operator.stop();
    rmSync(folder, { recursive: true });
    console.log('\nNext:   npm run demo -- --keep           leave the operator running and send it reviews yourself');
    console.log(
      '        npm run demo -- --cluster        the same on a real API server, beside MetalLB and cert-manager',
    );
    console.log('        edit examples/cdk8s/smallest/main.ts, then npm run demo again');
    return;
  }
  console.log(`Store:  ${join(folder, 'ipam.sqlite')}`);
  console.log(`\nThe operator listens on https://127.0.0.1:${operator.port} (CA ${operator.authorityFile}).`);
  console.log(`Health: http://127.0.0.1:${operator.probePort}/readyz and /metrics. End it with Ctrl-C.`);
  await operator.ended;
}

const unique = (value: string, index: number, all: readonly string[]): boolean => all.indexOf(value) === index;

main(process.argv.slice(2)).catch((thrown: unknown) => {
  console.error(thrown instanceof Error ? thrown.message : thrown);
  process.exitCode = 1;
});
