const { project } = require('./test/support/jest-project.cjs');

// The tests on real components have a file of their own, test/cluster/jest.config.cjs: their first run builds for an hour.
module.exports = { projects: ['unit', 'contract', 'hook', 'architecture', 'package', 'infra'].map(project) };
