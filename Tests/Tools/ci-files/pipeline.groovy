// Carries out declarative Jenkinsfiles: groovy pipeline.groovy (JENKINSFILE WORKSPACE)…
//
// Each block knows its own words only, as in Jenkins: `sh` outside of `steps`, a stage without steps, a pipeline
// without agent or stages, and every word that is not below are errors. A line that fails ends its stage and the
// stages after it; `post` follows all the same. The last word is SUCCESS, FAILURE, or REFUSED for a file that is no
// pipeline; then a line of five `=`.

class Refused extends RuntimeException { Refused(String why) { super(why) } }
class Failed extends RuntimeException { Failed(String why) { super(why) } }

abstract class Block {
    Build build
    Block(Build build) { this.build = build }
    def run(Closure body) {
        body.delegate = this
        body.resolveStrategy = Closure.DELEGATE_ONLY
        body()
    }
    def methodMissing(String name, args) {
        throw new Refused("'$name' is no word of ${getClass().simpleName.toLowerCase()}")
    }
    def propertyMissing(String name) {
        throw new Refused("'$name' is nothing in ${getClass().simpleName.toLowerCase()}")
    }
}

class Build {
    File workspace
    boolean isFailed = false
    int pipelines = 0
    String named(Map options, String name, List allowed) {
        def strange = options.keySet() - allowed
        if (strange) throw new Refused("'${strange.join(', ')}' is no option")
        options[name]
    }
    List<File> files(String pattern) {
        def matcher = java.nio.file.FileSystems.default.getPathMatcher("glob:$pattern")
        def found = []
        workspace.eachFileRecurse(groovy.io.FileType.FILES) {
            if (matcher.matches(workspace.toPath().relativize(it.toPath()))) found << it
        }
        found
    }
}

class Steps extends Block {
    Steps(Build build) { super(build) }
    def echo(String text) { println text }
    def sh(String line) {
        println "+ $line"
        def process = new ProcessBuilder('sh', '-e', '-c', line).directory(build.workspace)
            .redirectErrorStream(true).start()
        process.outputStream.close()
        print process.inputStream.text
        if (process.waitFor() != 0) throw new Failed("'$line' ended with ${process.exitValue()}")
    }
    def junit(String pattern) { junit(testResults: pattern) }
    def junit(Map options) {
        def pattern = build.named(options, 'testResults', ['testResults', 'allowEmptyResults'])
        def files = build.files(pattern)
        if (!files && !options.allowEmptyResults) throw new Failed("junit: nothing at '$pattern'")
        def cases = files.collect { new XmlSlurper().parse(it).depthFirst().findAll { it.name() == 'testcase' } }
            .flatten()
        def bad = cases.count { it.failure.size() + it.error.size() > 0 }
        println "junit: ${cases.size()} tests, $bad failed"
    }
    def archiveArtifacts(Map options) {
        def pattern = build.named(options, 'artifacts', ['artifacts', 'allowEmptyArchive'])
        def files = build.files(pattern)
        if (!files && !options.allowEmptyArchive) throw new Failed("archiveArtifacts: nothing at '$pattern'")
        // Reports/latest leads to a folder that is there under its own name too.
        println "archived: ${files.findAll { it.name == 'report.html' }*.canonicalFile.unique().size()} report.html"
    }
}

class Stage extends Block {
    int count = 0
    Stage(Build build) { super(build) }
    def steps(Closure body) { count++; if (!build.isFailed) new Steps(build).run(body) }
}

class Stages extends Block {
    int count = 0
    Stages(Build build) { super(build) }
    def stage(String name, Closure body) {
        count++
        println "stage $name"
        def stage = new Stage(build)
        try {
            stage.run(body)
        } catch (Failed failed) {
            println "FAILED ${failed.message}"
            build.isFailed = true
        }
        if (stage.count != 1) throw new Refused("the stage '$name' has ${stage.count} times steps")
    }
}

class Post extends Block {
    Post(Build build) { super(build) }
    def always(Closure body) { part(body) }
    def failure(Closure body) { if (build.isFailed) part(body) }
    def success(Closure body) { if (!build.isFailed) part(body) }
    private def part(Closure body) {
        try {
            new Steps(build).run(body)
        } catch (Failed failed) {
            println "FAILED ${failed.message}"
            build.isFailed = true
        }
    }
}

class Pipeline extends Block {
    def seen = []
    final def any = 'any'
    Pipeline(Build build) { super(build) }
    def agent(which) { seen << 'agent' }
    def stages(Closure body) {
        seen << 'stages'
        def stages = new Stages(build)
        stages.run(body)
        if (stages.count == 0) throw new Refused('stages without a stage')
    }
    // Its turn comes last, wherever it stands.
    Closure last
    def post(Closure body) { last = body }
    def check() {
        for (word in ['agent', 'stages']) if (seen.count(word) != 1) throw new Refused("$word: ${seen.count(word)} times")
    }
}

args.toList().collate(2).each { file, workspace ->
    def build = new Build(workspace: new File(workspace).canonicalFile)
    def words = new Binding()
    words.setVariable('pipeline') { Closure body ->
        build.pipelines++
        def pipeline = new Pipeline(build)
        pipeline.run(body)
        pipeline.check()
        if (pipeline.last) new Post(build).run(pipeline.last)
    }
    try {
        new GroovyShell(words).evaluate(new File(file))
        if (build.pipelines != 1) throw new Refused("${build.pipelines} pipelines")
        println build.isFailed ? 'FAILURE' : 'SUCCESS'
    } catch (Refused | MissingMethodException | MissingPropertyException
        | org.codehaus.groovy.control.CompilationFailedException fault) {
        println "REFUSED ${fault.message.readLines().findAll().first()}"
    }
    println '====='
}
