// use-from-c++.cc -- libattest from C++: a number, and many small instances decided at once.
//
//     c++ -std=c++17 use-from-c++.cc $(pkg-config --cflags --libs attest) -o use-from-c++
#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include <attest/attest.h>

// init and clear become a constructor and a destructor.
class Filter {
public:
    explicit Filter(const attest_filter_shape &shape)
    {
        status = attest_filter_init(&filter, &shape, &error);
    }
    ~Filter() { attest_filter_clear(&filter); }
    Filter(const Filter &) = delete;
    Filter &operator=(const Filter &) = delete;

    attest_filter filter;
    attest_error error;
    attest_status status;
};

int main()
{
    // One head of dimension 1 with WQ = WK = WV = WO = 1, and hardmax: of each sequence the
    // tokens attend to the largest one, and the result is added to the token.
    attest_filter_shape shape{};
    shape.activation = ATTEST_HARDMAX;
    shape.skip = true;
    shape.dim = shape.heads = shape.size = 1;
    Filter f(shape);

    // Sequences (1 2) and (1 3): the outputs 3 4 and 4 6. The contexts of 2 and of the second 1
    // differ, their outputs do not: refuted. With (1 2) and (1 5) all outputs differ: proved.
    const std::array<size_t, 2> length{2, 2};
    const std::array<double, 4> collide{1, 2, 1, 3}, apart{1, 2, 1, 5}, ones{1, 1, 1, 1};
    const std::array<attest_filter_instance, 2> instance{{
        {2, length.data(), collide.data(), ones.data()},
        {2, length.data(), apart.data(), ones.data()},
    }};
    std::array<attest_filter_answer, 2> answer{};

    if (f.status == ATTEST_OK)
        f.status = attest_filter_check(answer.data(), &f.filter, instance.data(),
                                       instance.size(), &f.error);
    if (f.status != ATTEST_OK) {
        std::fprintf(stderr, "use-from-c++: %s\n", f.error.text);
        return EXIT_FAILURE;
    }
    for (const auto &a : answer)
        std::printf("%s, by %s\n", attest_verdict_name(a.verdict), a.method);

    // Texts that the library hands over are the caller's to free.
    fmpq_t x;
    fmpq_init(x);
    attest_number_set_double(x, 0.1);
    std::unique_ptr<char, decltype(&std::free)> text(attest_number_format(x), &std::free);
    std::printf("the double 0.1 is %s\n", text ? text.get() : "too much");
    fmpq_clear(x);
    return answer[0].verdict == ATTEST_REFUTED && answer[1].verdict == ATTEST_PROVED
               ? EXIT_SUCCESS
               : EXIT_FAILURE;
}
