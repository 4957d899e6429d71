const { project } = require('../support/jest-project.cjs');

module.exports = {
  rootDir: '../..',
  projects: [{ ...project('cluster'), globalSetup: '<rootDir>/test/cluster/support/global-setup.ts' }],
  // each file starts an API server of its own; a cluster that the user gives has room for one file at a time
  maxWorkers: process.env.IPAM_TEST_KUBECONFIG === undefined ? 2 : 1,
  testTimeout: 60_000,
};
