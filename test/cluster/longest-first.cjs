// Whoever starts the longest file last waits for it alone. Jest knows how long a file took only where it has run before, and a clean
// checkout has no such memory: there it goes by the sizes of the files, which say little here.
const { dirname } = require('node:path');

const jest = dirname(require.resolve('jest/package.json'));
const core = dirname(require.resolve('@jest/core/package.json', { paths: [jest] }));
const { default: Sequencer } = require(require.resolve('@jest/test-sequencer', { paths: [core] }));

/**
 * Files of more than a minute. The first one hardly computes, which leaves room for the second, which keeps a pace of requests.
 */
const LONGEST = [
  ...[
    'handover',
    'postgres',
    'vips-migration-kills',
    'remote-v3',
    'lifecycle',
    'services-controller',
    'kills',
    'rights',
  ],
  ...[
    'outages',
    'examples',
    'changes',
    'cluster-api',
    'cluster-api-networks',
    'replaced-services',
    'vips-rights',
    'netbox',
    'remote',
  ],
  ...[
    'pulumi/options',
    'pulumi/examples',
    'pulumi/plugin',
    'pulumi/engine',
    'pulumi/moves',
    'pulumi/changes',
    'pulumi/launch',
  ],
  'pulumi/address',
  ...['announced', 'remote-slow', 'matching', 'families', 'vips-migration', 'install', 'deletion', 'claim-objects'],
  ...['networks-kills', 'demo', 'many-services', 'remote-own'],
].map((name) => `/${name}.test.ts`);

const rank = ({ path }) => {
  const found = LONGEST.findIndex((name) => path.endsWith(name));
  return found < 0 ? LONGEST.length : found;
};

module.exports = class LongestFirst extends Sequencer {
  sort(tests) {
    return super.sort(tests).toSorted((a, b) => rank(a) - rank(b));
  }
};
