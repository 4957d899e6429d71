const { join } = require('node:path');

const root = join(__dirname, '../..');

const swc = [
  '@swc/jest',
  {
    jsc: { parser: { syntax: 'typescript' }, target: 'es2023' },
    module: { type: 'commonjs' },
    sourceMaps: 'inline',
  },
];

/**
 * Packages that are written as ES modules alone. They are compiled to CommonJS as the sources are: with Node's flag for modules in
 * contexts, which could load them as they are, the modules of a test file stay in memory until its worker ends, 4 MB and more for each
 * file, and half of the CPU time of a run goes into collecting garbage around them.
 */
const MODULES_ONLY = [
  ...['@kubernetes/client-node', 'openid-client', 'oauth4webapi', 'jose', 'socks-proxy-agent', 'agent-base'],
  ...['@seriousme/openapi-schema-validator', 'cookie', 'p-map'],
  ...['publint', '@publint/pack', 'tinyexec', 'package-manager-detector'],
];

/** One project per kind of test, so that each can be run alone: `npm test -- --selectProjects unit`. */
exports.project = (name) => ({
  displayName: name,
  testEnvironment: 'node',
  rootDir: root,
  testMatch: [`<rootDir>/test/${name}/**/*.test.ts`],
  transformIgnorePatterns: [`/node_modules/(?!(${MODULES_ONLY.join('|')})/)`],
  transform: { '^.+\\.(t|j|mj)s$': swc },
  modulePathIgnorePatterns: ['<rootDir>/lib/', '<rootDir>/dist/'],
});
