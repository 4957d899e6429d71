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

/** One project per kind of test, so that each can be run alone: `npm test -- --selectProjects unit`. */
exports.project = (name) => ({
  displayName: name,
  testEnvironment: 'node',
  rootDir: root,
  testMatch: [`<rootDir>/test/${name}/**/*.test.ts`],
  transform: { '^.+\\.(t|j|mj)s$': swc },
  modulePathIgnorePatterns: ['<rootDir>/lib/', '<rootDir>/dist/'],
});
