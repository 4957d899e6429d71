// Bundles the operator for the image and for the packed tree: one file for the process, one for the
// command line, one for the store's worker thread, one for what few need and all would have to parse.
import { readFileSync } from 'node:fs';
import { build } from 'esbuild';

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));

// the two megabytes behind it are for a kubeconfig alone; a Pod's own account does without
const KUBECONFIG = '@kubernetes/client-node/dist/config.js';

const apart = {
  name: 'apart',
  setup({ onResolve }) {
    onResolve({ filter: /^@kubernetes\/client-node\// }, ({ path, kind }) =>
      path === KUBECONFIG && kind === 'dynamic-import' ? { path: './kubeconfig.js', external: true } : undefined,
    );
  },
};

await build({
  entryPoints: {
    operator: 'operator/main.ts',
    ipam: 'operator/cli/main.ts',
    'sqlite-worker': 'operator/backends/sql/sqlite/sqlite-worker.ts',
    kubeconfig: KUBECONFIG,
  },
  plugins: [apart],
  // `import()` becomes `require`, which needs no second loader
  supported: { 'dynamic-import': false },
  define: { IPAM_VERSION: JSON.stringify(version) },
  outdir: process.argv[2] ?? 'lib/bundle',
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'cjs',
  logLevel: 'warning',
  legalComments: 'linked',
});
