const { project } = require('../support/jest-project.cjs');

module.exports = {
  rootDir: '../..',
  projects: [{ ...project('cluster'), globalSetup: '<rootDir>/test/cluster/support/global-setup.ts' }],
  // each file starts an API server of its own
  maxWorkers: 2,
  testTimeout: 60_000,
};
