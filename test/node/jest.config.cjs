const { project } = require('../support/jest-project.cjs');

// Each file has a node of its own in the one network that the command makes, so they follow each other.
module.exports = { rootDir: '../..', projects: [project('node')], maxWorkers: 1, testTimeout: 120_000 };
