const { availableParallelism } = require('node:os');
const { project } = require('./test/support/jest-project.cjs');

// The tests on real components have a file of their own, test/cluster/jest.config.cjs: their first run builds for an hour.
const projects = ['contract', 'hook', 'architecture', 'package'].map(project);

// The plugin of infra names the package by which it is installed.
const unit = { ...project('unit'), moduleNameMapper: { '^cdk8s-ipam/infra$': '<rootDir>/infra/index.ts' } };

// One build, pack and installation for all tests of what a registry would get.
const tarball = {
  ...project('tarball'),
  globalSetup: '<rootDir>/test/tarball/pack.ts',
  globalTeardown: '<rootDir>/test/tarball/unpack.ts',
};

// A test that waits for an event waits for ever when it does not come; the limit is generous, since other work may have the cores.
const testTimeout = 240_000;

// Most files wait for processes, disks and timers half of their time; by default a machine of two cores would run one at a time.
const maxWorkers = Math.ceil(1.5 * availableParallelism());

module.exports = { projects: [unit, ...projects, tarball], maxWorkers, testTimeout };
