/** The version of this package. A test holds it equal to package.json. */
export const version = '1.0.0-rc.2'
