const swc = [
  '@swc/jest',
  {
    jsc: { parser: { syntax: 'typescript' }, target: 'es2023' },
    module: { type: 'commonjs' },
    sourceMaps: 'inline',
  },
];

/** One project per kind of test, so that each can be run alone: `npm test -- --selectProjects unit`. */
const project = (name) => ({
  displayName: name,
  testEnvironment: 'node',
  rootDir: __dirname,
  testMatch: [`<rootDir>/test/${name}/**/*.test.ts`],
  transform: { '^.+\\.(t|j|mj)s$': swc },
  modulePathIgnorePatterns: ['<rootDir>/lib/', '<rootDir>/dist/'],
});

module.exports = { projects: ['unit', 'contract', 'hook', 'architecture', 'package'].map(project) };
