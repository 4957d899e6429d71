// Bundles the operator for the image and for the packed tree: one file for the process, one for the
// command line, one for the store's worker thread.
import { readFileSync } from 'node:fs';
import { build } from 'esbuild';

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));

await build({
  entryPoints: {
    operator: 'operator/main.ts',
    ipam: 'operator/cli/main.ts',
    'sqlite-worker': 'operator/backends/sql/sqlite-worker.ts',
  },
  define: { IPAM_VERSION: JSON.stringify(version) },
  outdir: process.argv[2] ?? 'lib/bundle',
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'cjs',
  sourcemap: true,
  // the source text stays out of the map: stack traces need names and lines only
  sourcesContent: false,
  logLevel: 'warning',
  legalComments: 'linked',
});
