const { availableParallelism, totalmem } = require('node:os');
const { project } = require('../support/jest-project.cjs');

/** Control plane, neighbours, operator, and the process of the tests. */
const GIB_OF_ONE_FILE = 2;
// each file starts an API server of its own, and waits two thirds of its time: for leases, timers, certificates, Pulumi; some
// keep a pace of requests that a machine without a free moment would not
const workers = Math.min(Math.ceil(1.5 * availableParallelism()), Math.floor(totalmem() / (GIB_OF_ONE_FILE * 2 ** 30)));

module.exports = {
  rootDir: '../..',
  projects: [{ ...project('cluster'), globalSetup: '<rootDir>/test/cluster/support/global-setup.ts' }],
  testSequencer: '<rootDir>/test/cluster/longest-first.cjs',
  // a cluster that the user gives has room for one file at a time
  maxWorkers: process.env.IPAM_TEST_KUBECONFIG === undefined ? Math.max(2, workers) : 1,
  // a busy machine may be late with each of the things that a test waits for
  testTimeout: 300_000,
};
